/** The k6 scripts against the real stack (Envoy, two servers, PostgreSQL): they pass when it is right. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type K6Stack, startK6Stack } from "../test/support/k6/k6_stack.ts";

let k6: K6Stack;

before(async () => {
  k6 = await startK6Stack(6);
});

after(async () => {
  await k6?.stop();
});

describe("the k6 scripts", { concurrency: 3 }, () => {
  for (const script of ["quote_order", "nonce_store", "smoke", "soak", "spike"]) {
    it(`${script} passes against a right service and writes its summary and charts`, async () => {
      const charts = join(k6.folder, `${script}.html`);
      const { exitCode, output, summary } = await k6.run(script, { charts });
      assertEquals(exitCode, 0, output);
      const { metrics } = await summary();
      assertEquals(metrics.good_iterations!.values.rate, 1);
      assertEquals(metrics.replays_accepted?.values.count ?? 0, 0);
      assertStringIncludes(await readFile(charts, "utf8"), "<html");
    });
  }

  it("without a kit a script says how to get one", async () => {
    const { exitCode, output } = await k6.run("smoke", { kit: join(k6.folder, "nowhere") });
    assert(exitCode !== 0);
    assertStringIncludes(output, "no partner kit");
    assertStringIncludes(output, "npm run stack");
  });
});
