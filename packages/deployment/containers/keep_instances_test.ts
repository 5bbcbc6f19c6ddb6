import { assertEquals } from "@std/assert";
import { once } from "node:events";
import { readFile, rename } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { sidecarFolders } from "@sabika/sidecar";
import { until } from "../../../test/support/until.ts";
import { temporaryFolder } from "../../../test/support/temporary_folder.ts";
import { keepInstances } from "./keep_instances.ts";

const listenAt = async (path: string) => {
  const server = createServer((socket) => socket.end()).listen(path);
  await once(server, "listening");
  return server;
};

test("the sidecar's list follows instances that come, go, and die without a word (F21)", async () => {
  const folder = temporaryFolder();
  const list = sidecarFolders(folder).instances;
  const named = async () =>
    [...(await readFile(list, "utf8")).matchAll(/path: \S*\/(\w+)\.sock/g)].map(([, name]) => name);
  const is = (...names: string[]) =>
    until(async () => JSON.stringify(await named()) === JSON.stringify(names));
  const said: string[] = [];
  let clock = 0;
  const first = await listenAt(join(folder, "aaa.sock"));
  const keeper = keepInstances({ folder }, folder, () => ++clock, (line) => said.push(line));
  try {
    await until(() => said.length > 0);
    assertEquals(await named(), ["aaa"]);
    const second = await listenAt(join(folder, "bbb.sock"));
    await listenAt(join(folder, "ccc.watch.sock")).then((other) => other.close());
    await is("aaa", "bbb");
    first.close();
    await is("bbb");
    // A container that was killed leaves its socket.
    await rename(join(folder, "bbb.sock"), join(folder, "ddd.sock"));
    second.close();
    await is();
    // It says so when the list is written.
    await until(() => said.length > 3);
    assertEquals(said, [1, 2, 1, 0].map((count) => `${count} instance(s) listen`));
  } finally {
    await keeper.stop();
  }
});
