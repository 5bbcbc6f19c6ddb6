import { after, test } from "node:test";
import { existsSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assertEquals } from "@std/assert";
import { changesOf } from "./change_instances.ts";
import type { Front } from "./front.ts";
import { createInstances } from "./instances.ts";
import { createRestarts } from "./restarts.ts";
import { startServer } from "./server_process.ts";
import { temporaryFolder } from "../../../test/support/temporary_folder.ts";

const folder = temporaryFolder();

/** Fails on its second start, like a server whose database is away. */
const PROGRAM = `
  import { appendFileSync, readFileSync } from "node:fs";
  appendFileSync(process.env.STARTS, "x");
  if (readFileSync(process.env.STARTS, "utf8") === "xx") throw new Error("no database just now");
  appendFileSync(process.env.READY, "x");
  setInterval(() => {}, 1_000);
`;

test("a rolling restart brings back an instance whose first try to start fails", async () => {
  const program = join(folder, "program.mjs");
  await writeFile(program, PROGRAM);
  const lines: string[] = [];
  const restarts = createRestarts((line) => void lines.push(line));
  const starts = new Map<string, number>();
  const instances = createInstances({
    logsFolder: folder,
    restarts,
    planOf(name) {
      const file = (kind: string) => join(folder, `${name}.${kind}`);
      rmSync(file("ready"), { force: true });
      starts.set(name, (starts.get(name) ?? 0) + 1);
      return {
        program,
        environment: { STARTS: file("starts"), READY: file("ready") },
        isReady: () => Promise.resolve(existsSync(file("ready"))),
      };
    },
  });
  after(() => instances.stopAll());
  const lists: (readonly string[])[] = [["server-1", "server-2"]];
  const front = {
    listed: () => lists.at(-1)!,
    list: (names: readonly string[]) => Promise.resolve(void lists.push(names)),
  } as Front;
  const delivery = { stop: () => Promise.resolve(), startUntilReady: () => Promise.resolve() };
  for (const name of front.listed()) await instances.start(name);

  await changesOf(instances, front, delivery as unknown as typeof instances).rollingRestart();
  assertEquals(lists.slice(1), [["server-2"], ["server-1", "server-2"], ["server-1"], [
    "server-1",
    "server-2",
  ]]);
  assertEquals([...starts], [["server-1", 3], ["server-2", 3]]);
  assertEquals(instances.running().map(({ name }) => name), ["server-1", "server-2"]);
  assertEquals(lines.length, 2);
});

test("what does not start says what it wrote in this start, and nothing of an earlier one", async () => {
  const start = async (text: string) => {
    const program = join(folder, "ends.mjs");
    await writeFile(program, text);
    const plan = { program, environment: {}, isReady: () => Promise.resolve(false) };
    const error = await startServer("server-1", plan, log).catch((error: Error) => error);
    return (error as Error).message;
  };
  const log = join(folder, "ends.log");
  await writeFile(log, "sabika: an earlier start\n");
  assertEquals(await start(""), `server-1 does not start: no output (see ${log})`);
  assertEquals(
    await start('console.error("sabika: this start")'),
    `server-1 does not start: sabika: this start (see ${log})`,
  );
});
