/**
 * The k6 scripts against the real stack (Envoy, two servers, PostgreSQL): they pass when it is right
 * and exit with 99 when it is made wrong on purpose. A load script that cannot fail shows nothing.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type Stack, startStack } from "@sabika/sandbox";
import { findK6 } from "../tools/programs/find_k6.ts";
import type { SummaryData } from "./lib/summary.ts";
import { type K6End, runK6 } from "./load/run_k6.ts";
import { type PassingAnswer, startWrongServer } from "./testing/wrong_server.ts";

/** Other tests share the machine: here the scripts' verdicts are tested, not the service's speed. */
process.env.SABIKA_SLOWNESS = "20";

/** Each run has a partner of its own, as the books are compared, so some can run at once. */
const AT_ONCE = 3;
const RUNS = 12;

let k6: string;
let folder: string;
let stack: Stack;
let taken = 0;

before(async () => {
  k6 = await findK6();
  folder = await mkdtemp(join(tmpdir(), "sabika-k6-"));
  const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
  stack = await startStack(
    { dataFolder: join(folder, "data"), port: 0, instances: 2, partners: RUNS },
    { now: Date.now, random },
  );
});

after(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

type Run = K6End & { summary: () => Promise<SummaryData> };

async function run(
  script: string,
  more: { baseUrl?: string; kit?: string; charts?: string } = {},
): Promise<Run> {
  const number = taken++;
  const summary = join(folder, `${script}-${number}.json`);
  const end = await runK6({
    k6,
    script: fileURLToPath(new URL(`./${script}.ts`, import.meta.url)),
    kit: stack.kits[number % RUNS]!,
    rate: "5",
    duration: "3s",
    summary,
    show: false,
    ...more,
  });
  return { ...end, summary: async () => JSON.parse(await readFile(summary, "utf8")) };
}

/** The same before a server that spoils its answers. */
async function runAgainst(
  script: string,
  spoil: (answer: PassingAnswer) => { status: number; body: string },
): Promise<Run> {
  const kit = stack.kits[taken % RUNS]!;
  const wrong = await startWrongServer(kit, spoil);
  try {
    return await run(script, { baseUrl: wrong.baseUrl, kit });
  } finally {
    await wrong.stop();
  }
}

const asItIs = ({ status, body }: PassingAnswer) => ({ status, body });

function acceptReplays(answer: PassingAnswer): { status: number; body: string } {
  const replay = answer.status === 401 && answer.body.includes("nonce_reused");
  return replay ? { status: 200, body: '{"verified":true}' } : asItIs(answer);
}

/** The total of every order, one halala too much. */
function offByAHalala(answer: PassingAnswer): { status: number; body: string } {
  if (answer.path !== "/v1/orders" || answer.status !== 201) return asItIs(answer);
  const order = JSON.parse(answer.body) as { total_sar: number };
  const total_sar = (Math.round(order.total_sar * 100) + 1) / 100;
  return { status: 201, body: JSON.stringify({ ...order, total_sar }) };
}

/** Each executed price, a ten-thousandth of a riyal too high. */
function otherPrice(answer: PassingAnswer): { status: number; body: string } {
  if (answer.path !== "/v1/orders" || answer.status !== 201) return asItIs(answer);
  const order = JSON.parse(answer.body) as { price_per_gram_sar: number };
  const price_per_gram_sar = (Math.round(order.price_per_gram_sar * 10_000) + 1) / 10_000;
  return { status: 201, body: JSON.stringify({ ...order, price_per_gram_sar }) };
}

describe("the k6 scripts", { concurrency: AT_ONCE }, () => {
  for (const script of ["quote_order", "nonce_store", "smoke", "soak", "spike"]) {
    it(`${script} passes against a right service and writes its summary and charts`, async () => {
      const charts = join(folder, `${script}.html`);
      const { exitCode, output, summary } = await run(script, { charts });
      assertEquals(exitCode, 0, output);
      const { metrics } = await summary();
      assertEquals(metrics.good_iterations!.values.rate, 1);
      assertEquals(metrics.replays_accepted?.values.count ?? 0, 0);
      assertStringIncludes(await readFile(charts, "utf8"), "<html");
    });
  }

  it("a proxy that spoils nothing passes, so what follows is the spoiling's doing", async () => {
    const { exitCode, output } = await runAgainst("nonce_store", asItIs);
    assertEquals(exitCode, 0, output);
  });

  for (const script of ["nonce_store", "smoke"]) {
    it(`${script} exits with 99 against a service that accepts a replay`, async () => {
      const { exitCode, output, summary } = await runAgainst(script, acceptReplays);
      assertEquals(exitCode, 99, output);
      assert((await summary()).metrics.replays_accepted!.values.count! > 0);
    });
  }

  it("quote_order exits with 99 against a service that is off by a halala", async () => {
    const { exitCode, output, summary } = await runAgainst("quote_order", offByAHalala);
    assertEquals(exitCode, 99, output);
    assert((await summary()).metrics.checks!.values.fails! > 0);
  });

  it("quote_order exits with 99 against a service that executes another price", async () => {
    const { exitCode, output } = await runAgainst("quote_order", otherPrice);
    assertEquals(exitCode, 99, output);
  });

  it("an exception in every iteration is a failure", async () => {
    // What is no JSON makes the script throw; k6 by itself would exit with 0.
    const { exitCode, output } = await runAgainst("quote_order", (answer) => {
      const isTrade = answer.path === "/v1/quotes";
      return isTrade ? { status: 201, body: "<html>" } : asItIs(answer);
    });
    assertEquals(exitCode, 99, output);
  });

  it("without a kit a script says how to get one", async () => {
    const { exitCode, output } = await run("smoke", { kit: join(folder, "nowhere") });
    assert(exitCode !== 0);
    assertStringIncludes(output, "no partner kit");
    assertStringIncludes(output, "npm run stack");
  });
});
