/**
 * The k6 scripts against the real stack (Envoy, two servers, PostgreSQL): they pass if it works, and exit
 * with 99 if its answers are falsified in transit.
 */
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { createServer } from "node:http";
import { basename, join } from "node:path";
import process from "node:process";
import { buffer } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { openKit, openTransport } from "@sabika/client";
import { runK6 } from "@sabika/loadtest/run_k6";
import type { SummaryData } from "@sabika/loadtest/summary";
import { testRecord } from "../test/secret_search/record.ts";
import { listen } from "../test/support/listen.ts";
import { openTestStack, type TestStack } from "../test/support/stack/stack_for_tests.ts";
import { temporaryFolder } from "../test/support/temporary_folder.ts";
import { findProgram } from "../tools/programs/find_program.ts";
import { commandLine } from "../tools/programs/command_line.ts";

const SCRIPTS = ["quote_order", "nonce_store", "smoke", "soak", "spike"];
const EXIT_OF_A_WRONG_SERVICE = 99;

/** An answer of the service. */
interface Answer {
  readonly path: string;
  readonly status: number;
  readonly body: string;
}
type Falsify = (answer: Answer) => Pick<Answer, "status" | "body">;

/** Raises a member of the answer to an order by one step. */
const higher = (member: string, step: number): Falsify => (answer) => {
  if (answer.path !== "/v1/orders" || answer.status !== 201) return answer;
  const order = JSON.parse(answer.body) as Record<string, number>;
  const value = (Math.round(order[member]! / step) + 1) * step;
  return { status: 201, body: JSON.stringify({ ...order, [member]: value }) };
};
const acceptReplays: Falsify = (answer) =>
  answer.status === 401 && answer.body.includes("nonce_reused")
    ? { status: 200, body: '{"verified":true}' }
    : answer;

const WRONG: readonly [script: string, what: string, falsify: Falsify][] = [
  ["nonce_store", "accepts a replay", acceptReplays],
  ["smoke", "accepts a replay", acceptReplays],
  ["quote_order", "is off by a halala", higher("total_sar", 0.01)],
  ["quote_order", "executes at another price", higher("price_per_gram_sar", 0.0001)],
  // The script throws, for which k6 alone would exit with 0.
  [
    "quote_order",
    "answers with something that is not JSON",
    (answer) => answer.path === "/v1/quotes" ? { status: 201, body: "<html>" } : answer,
  ],
];

describe("the k6 scripts", { concurrency: 3 }, () => {
  const folder = temporaryFolder();
  let stack: TestStack["stack"];
  let close: TestStack["close"];
  let k6: string;
  let runs = 0;
  before(async () => {
    // The thresholds are wide, because other tests share the machine.
    process.env.SABIKA_SLOWNESS = "20";
    // High enough that some of thirty iterations send a request again.
    process.env.SABIKA_REPLAY_SHARE = "0.5";
    k6 = (await findProgram("k6")).command;
    // Each run uses another partner, and the report two.
    ({ stack, close } = await openTestStack({ partners: SCRIPTS.length + WRONG.length + 3 }));
  });
  after(() => close());

  async function run(script: string, { kit = stack.kits[runs]!, baseUrl = "" } = {}) {
    const summary = join(folder, `${script}-${runs++}.json`);
    const { exitCode, output } = await runK6({
      k6,
      script: fileURLToPath(new URL(`./${script}.ts`, import.meta.url)),
      kit,
      rate: "10",
      duration: "3s",
      summary,
      show: false,
      ...baseUrl === "" ? {} : { baseUrl },
    });
    testRecord.log(`k6-${script}`, output);
    const readMetrics = async () =>
      (JSON.parse(await readFile(summary, "utf8")) as SummaryData).metrics;
    return { exitCode, output, readMetrics };
  }

  /** Like `run`, but falsifies each answer in transit. */
  async function runAgainst(script: string, falsify: Falsify) {
    const kitFolder = stack.kits[runs]!;
    const kit = await openKit(kitFolder);
    const transport = openTransport(kit);
    const server = createServer(async (request, response) => {
      const { method = "GET", url: path = "/" } = request;
      const { host: _, connection: __, "content-length": ___, ...headers } = request.headers;
      const body = await buffer(request);
      const answer = await transport.fetch(kit.baseUrl + path, {
        method,
        headers: headers as Record<string, string>,
        ...method === "GET" ? {} : { body: new Uint8Array(body) },
        redirect: "manual",
        signal: AbortSignal.timeout(30_000),
      });
      const falsified = falsify({ path, status: answer.status, body: await answer.text() });
      response.writeHead(falsified.status, { "content-type": "application/json" }).end(
        falsified.body,
      );
    });
    const port = await listen(server);
    try {
      return await run(script, { kit: kitFolder, baseUrl: `http://127.0.0.1:${port}` });
    } finally {
      await transport.close();
      server.closeAllConnections();
      server.close();
    }
  }

  for (const script of SCRIPTS) {
    it(`${script} passes against a correct service and writes its summary`, async () => {
      const { exitCode, output, readMetrics } = await run(script);
      assertEquals(exitCode, 0, output);
      const metrics = await readMetrics();
      assertEquals(metrics.good_iterations!.values.rate, 1);
      assertEquals(metrics.replays_accepted?.values.count ?? 0, 0);
    });
  }

  for (const [script, what, falsify] of WRONG) {
    it(`${script} fails against a service that ${what}`, async () => {
      const { exitCode, output, readMetrics } = await runAgainst(script, falsify);
      assertEquals(exitCode, EXIT_OF_A_WRONG_SERVICE, output);
      if (falsify === acceptReplays) {
        assert((await readMetrics()).replays_accepted!.values.count! > 0);
      }
    });
  }

  it("npm run load summarises all partners and keeps a page for each", async () => {
    const kits = join(folder, "kits");
    await mkdir(kits);
    for (const kit of stack.kits.slice(-2)) await symlink(kit, join(kits, basename(kit)));
    const results = join(folder, "results");
    const { code, output } = await load(
      ...commandLine`quote_order --partners 2 --rate 20 --duration 4s --kits ${kits}
        --results ${results}`,
    );
    assertEquals(code, 0, output.slice(-2_000));
    assertStringIncludes(output, "quote_order, 2 partners");
    const written = await readdir(results);
    assertEquals(written.filter((name) => name.endsWith(".html")).length, 2);
    const sum = JSON.parse(await readFile(join(results, "quote_order.json"), "utf8"));
    assertEquals(sum.metrics.good_iterations.values.rate, 1);
  });

  it("without a kit a script says how to get one", async () => {
    const { exitCode, output } = await run("smoke", { kit: join(folder, "nowhere") });
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
