import { after, before, describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { assert, assertEquals } from "@std/assert";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { type Client, createClient, openKit } from "@sabika/client";
import { openDatabase } from "@sabika/database";
import { listen } from "../support/listen.ts";
import { openRaw } from "../support/raw_https.ts";
import { operatorOf, runOperator } from "../support/run_operator.ts";
import {
  openTestStack,
  rawCallerOf,
  stackEnvironment,
  type TestStack,
} from "../support/stack/stack_for_tests.ts";
import { startTestReceiver } from "../support/webhook_receiver.ts";
import { alertsOf } from "./prometheus_answers.ts";
import { until } from "../support/until.ts";
import { commandLine } from "../../tools/programs/command_line.ts";
import { hurriedRules } from "../support/stack/hurried_rules.ts";

// Each fault of a monitored stack fires its alert, which names a section of docs/runbook.md; the commands of
// that section repair it, the alert ends, and partners trade. The alerts have their real thresholds and a
// sixtieth of their real times (observability_fault_test.ts tests those).

const HURRY = 60;
/** Longer than a scrape (1 s), an alert's window (10 s) and a check of the balances (20 s) together. */
const PATIENCE_MS = 120_000;

const page = await readFile(new URL("../../docs/runbook.md", import.meta.url), "utf8");
const sections = new Map(
  page.split(/^## /m).slice(1).map((text) => [
    text.split("\n", 1)[0]!.toLowerCase().replaceAll(" ", "-"),
    text,
  ]),
);

describe("the runbook's sections", () => {
  let test: TestStack;
  let client: Client;
  let prometheusUrl: string;
  before(async () => {
    test = await openTestStack({ watch: { port: 0, hurriedRules: hurriedRules(HURRY) } });
    prometheusUrl = test.stack.prometheusUrl!;
    client = createClient(await openKit(test.stack.kits[0]!));
    await client.fund({ amountHalalas: 1_000_000_000n });
    await trade();
  });
  after(async () => {
    await client.close();
    await test.close();
  });

  const sabika = <T>(...args: string[]) => operatorOf(stackEnvironment(test))<T>(...args);
  const trade = async () => {
    const quote = await client.quote({ side: "buy", goldMicrograms: 10_000n });
    return await client.order({ quoteId: quote.id });
  };
  const firing = async (name: string) =>
    (await alertsOf(prometheusUrl)).find(({ labels }) => labels.alertname === name);
  const fires = async (name: string, anchor: string) => {
    await until(async () => await firing(name) !== undefined, PATIENCE_MS, `${name} fires`, 500);
    assertEquals((await firing(name))?.annotations.runbook_url, `docs/runbook.md#${anchor}`);
  };
  const ends = (name: string) =>
    until(async () => await firing(name) === undefined, PATIENCE_MS, `${name} ends`, 500);

  /** Runs a command of a section, with this partner and these values instead of the page's. */
  const run = async (anchor: string, line: string, partner = "partner-1", more = {}) => {
    assert(sections.get(anchor)?.includes(`\n${line}\n`), `${line} is not on #${anchor}`);
    const values = Object.entries({ "bank-one": partner, ...more });
    const words = values.reduce(
      (text, [name, value]) => text.replaceAll(name, String(value)),
      line,
    );
    const [program, ...args] = words.split(" ");
    assertEquals([program, args[0]], ["npx", "sabika"], line);
    const { code, stdout, stderr } = await runOperator(args.slice(1), stackEnvironment(test));
    assertEquals(code, 0, `${line}: ${stderr}`);
    return stdout;
  };
  /** Does on the stack what the page's `docker compose up -d NAME` does. */
  const up = async (anchor: string, name: string) => {
    assert(sections.get(anchor)?.includes(`\ndocker compose up -d ${name}\n`), name);
    if (name === "postgresql") await test.stack.postgresql!.start();
    else await test.stack.startInstance("server-1");
  };

  it("replace a server that is gone (SabikaServerDown)", async () => {
    await test.stack.killInstance("server-1");
    await fires("SabikaServerDown", "a-server-takes-no-requests");
    await trade();
    await up("a-server-takes-no-requests", "server");
    await ends("SabikaServerDown");
    await trade();
  });

  it("bring back a database that is away (PostgresDown)", async () => {
    await test.stack.postgresql!.kill();
    await fires("PostgresDown", "the-database-is-away");
    await up("the-database-is-away", "postgresql");
    await ends("PostgresDown");
    await run("the-database-is-away", "npx sabika reconcile --full");
    await until(() => trade().then(() => true, () => false), PATIENCE_MS, "trading again", 500);
  });

  it("replace a dead price feed (SabikaPriceOld)", async () => {
    const feed = createServer((_, answer) => answer.end('{"price": 480.5}'));
    const url = `http://127.0.0.1:${await listen(feed)}/`;
    await sabika(
      ...commandLine`price set feed ${url} --path ${"$.price"} --poll 1s --max-age 3s`,
    );
    await until(
      () => trade().then(() => true, () => false),
      PATIENCE_MS,
      "a price of the feed",
      500,
    );
    feed.close();
    feed.closeAllConnections();
    await until(
      () => trade().then(() => false, () => true),
      PATIENCE_MS,
      "nothing is sold without a price",
      500,
    );
    await fires("SabikaPriceOld", "dead-feed");
    await run("dead-feed", "npx sabika price show");
    await run("dead-feed", "npx sabika price set fixed 485.25");
    await ends("SabikaPriceOld");
    await trade();
  });

  it("enable an endpoint that answered 410 Gone (SabikaWebhookEndpointDisabled)", async () => {
    const kit = await openKit(test.stack.kits[0]!);
    const receiver = await startTestReceiver(kit.receiver!);
    const url = `https://127.0.0.1:${receiver.port}/`;
    await sabika("webhook", "set", "partner-1", url);
    receiver.behave = () => ({ status: 410 });
    await trade();
    await fires("SabikaWebhookEndpointDisabled", "stuck-webhook");
    receiver.behave = () => ({ status: 204 });
    await run("stuck-webhook", "npx sabika partner show bank-one");
    await run("stuck-webhook", "npx sabika webhook deliveries bank-one --status pending");
    await run("stuck-webhook", "npx sabika webhook enable bank-one");
    const before = receiver.received.length;
    await run("stuck-webhook", "npx sabika webhook ping bank-one");
    await ends("SabikaWebhookEndpointDisabled");
    await until(() => receiver.received.length > before, PATIENCE_MS, "its events");
    await receiver.close();
  });

  it("repair a balance that was changed by hand (SabikaBalancesWrong)", async () => {
    const database = openDatabase(test.stack.databaseUrl, { maxConnections: 1 });
    const [, repair] = /```sql\n([^]*?)```/.exec(sections.get("wrong-balance")!)!;
    const mend = repair!.replace("bank-one", "partner-1");
    await database.sql.unsafe(mend.replaceAll("12345", "-12345"));
    await fires("SabikaBalancesWrong", "wrong-balance");
    assert(await trade().then(() => false, () => true), "its partner is suspended");
    await run("wrong-balance", "npx sabika audit list --partner bank-one");
    await run("wrong-balance", "npx sabika audit verify");
    await database.sql.unsafe(mend);
    await database.close();
    await run("wrong-balance", "npx sabika reconcile --full");
    await run("wrong-balance", "npx sabika partner resume bank-one");
    await ends("SabikaBalancesWrong");
    await trade();
  });

  it("renew an allocation that is used up (SabikaInventoryEmpty)", async () => {
    const { balances } = await sabika<{ balances: { allocation_grams: number } }>(
      ...commandLine`partner show partner-1`,
    );
    await sabika("vault", "release", "partner-1", String(balances.allocation_grams), "--yes");
    assert(await trade().then(() => false, () => true), "no gold is sold that is not there");
    await fires("SabikaInventoryEmpty", "gold-used-up");
    await run("gold-used-up", "npx sabika vault report");
    await run("gold-used-up", "npx sabika vault allocate bank-one 100");
    await trade();
    await ends("SabikaInventoryEmpty");
  });

  it("end a stream of wrong tokens (SabikaJunkCredentials)", async () => {
    const caller = await rawCallerOf(test.stack, 1);
    let isGoing = true;
    const attack = Promise.all(Array.from({ length: 16 }, async () => {
      const connection = await openRaw(caller);
      while (isGoing) {
        const headers: [string, string][] = [
          ["Host", "localhost"],
          ["Authorization", `Bearer ${junkToken()}`],
        ];
        await connection.send({ method: "GET", target: "/v1/balances", headers });
        await pause(20);
      }
      connection.close();
    }));
    try {
      const anchor = "a-partner-under-attack";
      await fires("SabikaJunkCredentials", anchor);
      await trade();
      const listed = await run(anchor, "npx sabika certificate list bank-one", "partner-2 --json");
      const [{ id: CERTIFICATE }] = JSON.parse(listed);
      const revoke = "npx sabika certificate revoke bank-one CERTIFICATE --yes";
      await run(anchor, revoke, "partner-2", { CERTIFICATE });
      await ends("SabikaJunkCredentials");
    } finally {
      isGoing = false;
      await attack;
    }
    await trade();
  });
});

/** Makes a token of the right form, with 64 random bytes as its signature. */
function junkToken(): string {
  const part = (value: unknown) => btoa(JSON.stringify(value)).replaceAll("=", "");
  const signature = `${crypto.randomUUID().replaceAll("-", "").repeat(3).slice(0, 85)}A`;
  return `${part({ alg: "ES256", kid: "none" })}.${part({ sub: "partner-2" })}.${signature}`;
}
