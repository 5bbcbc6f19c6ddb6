/**
 * `node tools/run.mjs tools/surface/main.ts`: updates docs/public_surface.json after a change of the public
 * surface. `--check` only reports what is outdated; `--release VERSION` records the current surface as that
 * of a release.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { VERSION } from "@sabika/terms/settings";
import {
  isBefore,
  leastVersion,
  recordOf,
  type SurfaceRecord,
  unnamedChanges,
} from "../release/public_surface.ts";
import { ROOT } from "../rules/repository_files.ts";
import { surfaceLines } from "./surface_lines.ts";

const FILE = join(ROOT, "docs", "public_surface.json");
const COMMAND = "node tools/run.mjs tools/surface/main.ts";

const { values } = parseArgs({
  options: { check: { type: "boolean", default: false }, release: { type: "string" } },
});
const text = await readFile(FILE, "utf8");
const kept: SurfaceRecord = JSON.parse(text);
const now = await surfaceLines();
const record = recordOf(kept, now);
const least = leastVersion(record);

if (values.check) {
  const changelog = await readFile(join(ROOT, "CHANGELOG.md"), "utf8");
  const problems = unnamedChanges(record, changelog)
    .map((line) => `CHANGELOG.md does not name, under Unreleased: ${line}`);
  if (textOf(record) !== text) {
    problems.push(`docs/public_surface.json is old: ${COMMAND} writes it`);
  }
  if (VERSION !== kept.version) {
    const command = `${COMMAND} --release ${VERSION}`;
    problems.push(
      `version ${VERSION} is to be released, the public surface is of ${kept.version}: ${command}`,
    );
  }
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  process.exitCode = problems.length > 0 ? 1 : 0;
} else if (values.release === undefined) {
  await writeFile(FILE, textOf(record));
  const { added, removed } = record;
  const changes = `${added.length} added, ${removed.length} gone since ${kept.version}`;
  process.stdout.write(`${changes}: the next release is at least ${least}\n`);
} else if (isBefore(values.release, least)) {
  process.stderr.write(`what has changed since ${kept.version} makes it at least ${least}\n`);
  process.exitCode = 1;
} else {
  await writeFile(FILE, textOf(recordOf({ version: values.release, lines: now }, now)));
}

function textOf(made: SurfaceRecord): string {
  return `${JSON.stringify(made, null, 2)}\n`;
}
