import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { renderCompose } from "./render_compose.ts";

// Writes docker-compose.yml anew; a test holds that it was not forgotten.
await writeFile(
  fileURLToPath(new URL("../../../docker-compose.yml", import.meta.url)),
  renderCompose(),
);
