import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { composeFiles } from "./render_compose.ts";
import { observabilityFiles } from "./observability_services.ts";

// Writes the compose files and what their services read anew; a test holds that it was not forgotten.
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
for (const [path, text] of Object.entries(composeFiles())) {
  await writeFile(join(ROOT, path), text);
}
for (const [path, text] of Object.entries(observabilityFiles())) {
  const file = join(ROOT, "docs/observability/containers", path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
