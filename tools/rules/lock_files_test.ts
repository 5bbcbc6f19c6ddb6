import { assertEquals, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { checkLockFiles } from "./lock_files.ts";

const file = (path: string, value: unknown) => ({ path, text: JSON.stringify(value) });

const npm = [
  file("package-lock.json", {
    packages: {
      "": { version: "1.0.0" },
      "node_modules/@sabika/core": { link: true },
      "packages/core": { version: "1.0.0" },
      "node_modules/@a/b": { version: "1.2.3" },
      "node_modules/c/node_modules/d": { version: "2.0.0-rc.1" },
    },
  }),
  file("package.json", { devDependencies: { "@a/b": "1.2.3", e: "file:./e" } }),
  file("packages/core/package.json", { dependencies: { d: "2.0.0-rc.1" } }),
  file("tools/other/package.json", { dependencies: { f: "1.0.0" } }),
];

function denoLock(packages: string[], root: string[], core: string[]) {
  return file("deno.lock", {
    npm: Object.fromEntries(packages.map((key) => [key, {}])),
    workspace: {
      packageJson: { dependencies: root },
      members: { "packages/core": { packageJson: { dependencies: core } } },
    },
  });
}

test("checkLockFiles() finds a version that only one of the lock files has", () => {
  const root = ["npm:@a/b@1.2.3"];
  const core = ["npm:d@2.0.0-rc.1"];
  const same = ["@a/b@1.2.3_e@1.0.0_@f+g@2.0.0", "d@2.0.0-rc.1"];
  assertEquals(checkLockFiles([...npm, denoLock(same, root, core)]), []);
  const [older] = checkLockFiles([...npm, denoLock(["@a/b@1.2.2", same[1]!], root, core)]);
  assertStringIncludes(
    older!.message,
    "@a/b@1.2.3 of package-lock.json is missing, @a/b@1.2.2 is not in package-lock.json; make it",
  );
  const [unnamed] = checkLockFiles([...npm, denoLock(same, root, [])]);
  assertStringIncludes(unnamed!.message, "d@2.0.0-rc.1 of packages/core/package.json is missing;");
  assertEquals(checkLockFiles(npm).length, 1);
});
