/**
 * Runs the test files that `run_on_node.ts` names in turn in this process, each as a separate suite: a
 * file's hooks and open handles are gone before the next file is loaded.
 */
import { once } from "node:events";
import { resolve } from "node:path";
import process from "node:process";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { endIsReported } from "./node_reporter.mjs";

/** The files that this process has loaded; for another database a file is loaded as another module. */
const loaded = new Map();

for (;;) {
  process.send({ open: process.getActiveResourcesInfo() });
  const [{ path, environment }] = await once(process, "message");
  if (path === undefined) break;
  for (const [name, value] of Object.entries(environment)) {
    if (value === null) delete process.env[name];
    else process.env[name] = value;
  }
  const times = loaded.get(path) ?? 0;
  loaded.set(path, times + 1);
  const url = pathToFileURL(resolve(path));
  if (times > 0) url.search = `?${times}`;
  const reported = endIsReported();
  describe("#file", () => import(url.href));
  test("#end", () => {});
  await reported;
}
