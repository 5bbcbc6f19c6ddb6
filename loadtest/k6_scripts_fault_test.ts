/** The k6 scripts against the real stack (Envoy, two servers, PostgreSQL): they pass when it is right. */
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type K6Stack, startK6Stack } from "../test/support/k6/k6_stack.ts";

const SCRIPTS = ["quote_order", "nonce_store", "smoke", "soak", "spike"];

let k6: K6Stack;

before(async () => {
  // One for each script, one for the run without a kit, two for the report.
  k6 = await startK6Stack(SCRIPTS.length + 3);
});

after(async () => {
  await k6?.stop();
});

describe("the k6 scripts", { concurrency: 3 }, () => {
  for (const script of SCRIPTS) {
    it(`${script} passes against a right service and writes its summary`, async () => {
      const { exitCode, output, summary } = await k6.run(script);
      assertEquals(exitCode, 0, output);
      const { metrics } = await summary();
      assertEquals(metrics.good_iterations!.values.rate, 1);
      assertEquals(metrics.replays_accepted?.values.count ?? 0, 0);
    });
  }

  it("npm run load sums up for all partners and keeps a page of each", async () => {
    const kits = join(k6.folder, "kits");
    await mkdir(kits);
    for (const kit of k6.kits.slice(SCRIPTS.length + 1)) {
      await symlink(kit, join(kits, basename(kit)));
    }
    const results = join(k6.folder, "results");
    const { code, output } = await load(
      ...["quote_order", "--partners", "2", "--rate", "20", "--duration", "4s"],
      ...["--kits", kits, "--results", results],
    );
    assertEquals(code, 0, output.slice(-2_000));
    assertStringIncludes(output, "quote_order, 2 partners");
    const written = await readdir(results);
    assertEquals(written.filter((name) => name.endsWith(".html")).length, 2);
    const sum = JSON.parse(await readFile(join(results, "quote_order.json"), "utf8"));
    assertEquals(sum.metrics.good_iterations.values.rate, 1);
  });

  it("without a kit a script says how to get one", async () => {
    const { exitCode, output } = await k6.run("smoke", { kit: join(k6.folder, "nowhere") });
    assert(exitCode !== 0);
    assertStringIncludes(output, "no partner kit");
    assertStringIncludes(output, "npm run stack");
  });
});

/** Runs `npm run load` as a person does. */
function load(...args: string[]): Promise<{ code: number; output: string }> {
  const program = fileURLToPath(new URL("./load.ts", import.meta.url));
  return new Promise((resolve) => {
    execFile(process.execPath, ["--import", "tsx", program, ...args], (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), output: stdout + stderr });
    });
  });
}
