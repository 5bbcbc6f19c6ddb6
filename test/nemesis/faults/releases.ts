import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { signal } from "../../../tools/programs/marked_processes.ts";
import type { Fault } from "./fault.ts";

/** What makes a release wrong: a text in a file of its build, and what stands there instead. */
interface Defect {
  readonly file: string;
  readonly right: RegExp;
  readonly wrong: string;
}

const SERVER = "packages/server/main.js";
const AT_EACH_SIGNED_REQUEST = /async function verifySignedRequest\(.*\{$/m;

const DEFECTS: Readonly<Record<string, Defect>> = {
  "no answer to a signed request": {
    file: SERVER,
    right: AT_EACH_SIGNED_REQUEST,
    wrong: "$& await new Promise(() => {});",
  },
  "its end at a signed request": {
    file: SERVER,
    right: AT_EACH_SIGNED_REQUEST,
    wrong: "$& process.exit(70);",
  },
  // It must not start.
  "a later schema": {
    file: "packages/service/schema/schema_version.json",
    right: /"(version|serves_from)": \d+/g,
    wrong: '"$1": 1000000',
  },
};

/** An instance is killed and started again as a release with a defect, beside one without. */
async function wrongRelease(
  { stack, build }: Parameters<Fault>[0],
  { pick }: Parameters<Fault>[1],
  { file, right, wrong }: Defect,
): ReturnType<Fault> {
  const path = join(build!, file);
  const text = await readFile(path, "utf8");
  const changed = text.replace(right, wrong);
  if (changed === text) throw new Error(`${file} has no ${right}`);
  const { name } = pick(stack.instances());
  const running = () => stack.instances().find((instance) => instance.name === name);
  await replace(path, changed);
  signal(running()!.pid, "SIGKILL");
  return async () => {
    await replace(path, text);
    // It may have read the wrong text and not be ready yet.
    while (running() === undefined) await pause(50);
    signal(running()!.pid, "SIGKILL");
  };
}

/** Replaces a file at once, since a program may be about to read it. */
async function replace(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

/** Wrong releases beside a right one. */
export const RELEASE_FAULTS: Readonly<Record<string, Fault>> = Object.fromEntries(
  Object.entries(DEFECTS).map(([name, defect]): [string, Fault] => [
    `wrong release: ${name}`,
    (world, chance) => wrongRelease(world, chance, defect),
  ]),
);
