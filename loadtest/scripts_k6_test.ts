/**
 * The k6 scripts against a real service: they pass when it is right and exit with 99 when it is made
 * wrong on purpose. A load script that cannot fail shows nothing.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type Sandbox, startSandbox } from "@sabika/sandbox";
import { findK6 } from "../tools/programs/find_k6.ts";
import type { SummaryData } from "./lib/summary.ts";
import { type K6End, runK6 } from "./load/run_k6.ts";
import { type PassingAnswer, startWrongServer } from "./testing/wrong_server.ts";

/** Other tests share the machine: here the scripts' verdicts are tested, not the service's speed. */
process.env.SABIKA_SLOWNESS = "20";

let k6: string;
let folder: string;
let sandbox: Sandbox;
let kit: string;

before(async () => {
  k6 = await findK6();
  folder = await mkdtemp(join(tmpdir(), "sabika-k6-"));
  const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
  const settings = { dataFolder: join(folder, "data"), port: 0 };
  sandbox = await startSandbox(settings, { now: Date.now, random });
  kit = join(sandbox.partnersFolder, "demo");
});

after(async () => {
  await sandbox?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function run(
  script: string,
  more: { baseUrl?: string; kit?: string; duration?: string; charts?: string } = {},
): Promise<K6End & { summary: () => Promise<SummaryData> }> {
  const summary = join(folder, `${script}.json`);
  const end = await runK6({
    k6,
    script: fileURLToPath(new URL(`./${script}.ts`, import.meta.url)),
    kit,
    rate: "5",
    duration: "4s",
    summary,
    show: false,
    ...more,
  });
  return { ...end, summary: async () => JSON.parse(await readFile(summary, "utf8")) };
}

for (const script of ["quote_order", "nonce_store", "smoke", "soak"]) {
  test(`${script} passes against a right service and writes its summary`, async () => {
    const { exitCode, output, summary } = await run(script);
    assertEquals(exitCode, 0, output);
    const { metrics } = await summary();
    assertEquals(metrics.good_iterations!.values.rate, 1);
    assertEquals(metrics.replays_accepted?.values.count ?? 0, 0);
  });
}

test("spike passes against a right service", async () => {
  const { exitCode, output } = await run("spike", { duration: "15s" });
  assertEquals(exitCode, 0, output);
});

test("quote_order writes k6's page of charts", async () => {
  const charts = join(folder, "charts.html");
  const { exitCode, output } = await run("quote_order", { charts });
  assertEquals(exitCode, 0, output);
  assertStringIncludes(await readFile(charts, "utf8"), "<html");
});

async function runAgainst(
  script: string,
  spoil: (answer: PassingAnswer) => { status: number; body: string },
): Promise<K6End & { summary: () => Promise<SummaryData> }> {
  const wrong = await startWrongServer(kit, spoil);
  try {
    return await run(script, { baseUrl: wrong.baseUrl });
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

test("a proxy that spoils nothing passes, so what follows is the spoiling's doing", async () => {
  const { exitCode, output } = await runAgainst("nonce_store", asItIs);
  assertEquals(exitCode, 0, output);
});

for (const script of ["nonce_store", "smoke"]) {
  test(`${script} exits with 99 against a service that accepts a replay`, async () => {
    const { exitCode, output, summary } = await runAgainst(script, acceptReplays);
    assertEquals(exitCode, 99, output);
    assert((await summary()).metrics.replays_accepted!.values.count! > 0);
  });
}

test("quote_order exits with 99 against a service that is off by a halala", async () => {
  const { exitCode, output, summary } = await runAgainst("quote_order", offByAHalala);
  assertEquals(exitCode, 99, output);
  assertEquals((await summary()).metrics.good_iterations!.values.rate, 0);
});

test("quote_order exits with 99 against a service that executes another price", async () => {
  const { exitCode, output } = await runAgainst("quote_order", otherPrice);
  assertEquals(exitCode, 99, output);
});

test("an exception in every iteration is a failure", async () => {
  // What is no JSON makes the script throw; k6 by itself would exit with 0.
  const { exitCode, output } = await runAgainst(
    "nonce_store",
    (answer) => answer.path === "/oauth/token" ? asItIs(answer) : { status: 200, body: "<html>" },
  );
  assertEquals(exitCode, 99, output);
});

test("without a kit a script says how to get one", async () => {
  const { exitCode, output } = await run("smoke", { kit: join(folder, "nowhere") });
  assert(exitCode !== 0);
  assertStringIncludes(output, "no partner kit");
  assertStringIncludes(output, "npm run stack");
});
