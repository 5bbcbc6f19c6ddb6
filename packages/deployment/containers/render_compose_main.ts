import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { renderCompose } from "./render_compose.ts";
import { observabilityFiles } from "./observability_services.ts";

// Writes docker-compose.yml and what its services read anew; a test holds that it was not forgotten.
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
await writeFile(join(ROOT, "docker-compose.yml"), renderCompose());
for (const [path, text] of Object.entries(observabilityFiles())) {
  const file = join(ROOT, "docs/observability/containers", path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
