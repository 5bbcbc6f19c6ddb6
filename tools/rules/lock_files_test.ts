import { assertEquals, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { checkLockFiles } from "./lock_files.ts";

const npm = {
  path: "package-lock.json",
  text: JSON.stringify({
    packages: {
      "": { version: "1.0.0" },
      "node_modules/@sabika/core": { link: true },
      "packages/core": { version: "1.0.0" },
      "node_modules/@a/b": { version: "1.2.3" },
      "node_modules/c/node_modules/d": { version: "2.0.0-rc.1" },
    },
  }),
};
const deno = (...keys: string[]) => ({
  path: "deno.lock",
  text: JSON.stringify({ npm: Object.fromEntries(keys.map((key) => [key, {}])) }),
});

test("checkLockFiles() finds a package that only one of the lock files has", () => {
  assertEquals(checkLockFiles([npm, deno("@a/b@1.2.3_e@1.0.0_@f+g@2.0.0", "d@2.0.0-rc.1")]), []);
  const [older] = checkLockFiles([npm, deno("@a/b@1.2.2", "d@2.0.0-rc.1")]);
  assertStringIncludes(
    older!.message,
    "@a/b@1.2.3 is missing, @a/b@1.2.2 is not in package-lock.json; make it again",
  );
  assertEquals(checkLockFiles([npm]).length, 1);
});
