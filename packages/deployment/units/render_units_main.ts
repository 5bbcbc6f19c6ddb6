import { writeFile } from "node:fs/promises";
import { unitFiles } from "./render_units.ts";

// Writes the unit files anew; a test holds that it was not forgotten.
for (const [name, text] of Object.entries(unitFiles())) {
  await writeFile(new URL(name, import.meta.url), text);
}
