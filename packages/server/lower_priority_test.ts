import { assertEquals } from "@std/assert";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const PROGRAM = `import { getPriority } from "node:os";
import { lowerPriority } from ${
  JSON.stringify(new URL("./lower_priority.ts", import.meta.url).href)
};
const before = getPriority();
await lowerPriority();
process.stdout.write(before + " " + getPriority());`;

test("a process is lowered to below normal, and one that is lower stays as it is", () => {
  for (const nice of [0, 15]) {
    const { stdout } = spawnSync("nice", [
      ...["-n", String(nice), "node", "--import", "tsx", "--input-type=module", "--eval", PROGRAM],
    ], { cwd: fileURLToPath(new URL("../../", import.meta.url)), encoding: "utf8" });
    const [before, after] = stdout.split(" ").map(Number);
    assertEquals(after, Math.max(before!, 10));
  }
});
