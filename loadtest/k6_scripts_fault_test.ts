/** The k6 scripts against the real stack (Envoy, two servers, PostgreSQL): they pass when it is right. */
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type K6Stack, startK6Stack } from "../test/support/k6/k6_stack.ts";
import { readPage } from "../test/support/read_page.ts";
import { readRecord } from "./load/read_record.ts";

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
    it(`${script} passes against a right service and writes its summary and course`, async () => {
      const record = join(k6.folder, `${script}.ndjson`);
      const { exitCode, output, summary } = await k6.run(script, { record });
      assertEquals(exitCode, 0, output);
      const { metrics } = await summary();
      assertEquals(metrics.good_iterations!.values.rate, 1);
      assertEquals(metrics.replays_accepted?.values.count ?? 0, 0);
      const course = readRecord(await readFile(record, "utf8")).metrics.get("good_iterations")!;
      for (const { rate } of course.bySecond.values()) assertEquals(rate, 1);
    });
  }

  it("npm run load writes one page for all partners, which a browser shows by itself", async () => {
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
    const pages = (await readdir(results)).filter((name) => !name.endsWith(".json"));
    assertEquals(pages, ["quote_order.html"]);

    const page = await readPage(join(results, "quote_order.html"));
    assertMatch(page.text, /Yes: all [0-9]+ thresholds hold\./);
    assertStringIncludes(page.text, "is the quoted price the executed one");
    for (const title of ["Thresholds", "Rates", "Times", "The service"]) {
      assert(page.headings.includes(title), `no ${title}: ${page.headings}`);
    }
    assert(page.plots.some((words) => /^trade_duration\. p\(99\): [0-9.]+ to/.test(words)));
    assertEquals([page.asked, page.violations], [[], []]);
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
