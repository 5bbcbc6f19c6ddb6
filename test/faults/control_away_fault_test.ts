import { after, test } from "node:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import type { ServiceSettings } from "@sabika/server";
import { commandLine } from "../../tools/programs/command_line.ts";
import { runPostgreSQL } from "../../tools/programs/run_postgresql.ts";
import { codeOf } from "../support/answers.ts";
import { sendRaw } from "../support/raw_https.ts";
import { operatorOf } from "../support/run_operator.ts";
import { admitWithGold, type ServicePartner } from "../support/service_partner.ts";
import { HEALTH, read, signed, tokenRequest, write } from "../support/service_requests.ts";
import { sized } from "../support/sized.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";
import {
  copyFromControl,
  endCopies,
  operatorWithCells,
  runReplicating,
} from "../support/test_cells.ts";
import { openTestDatabase } from "../support/test_database.ts";
import { startTestService } from "../support/test_service.ts";
import { until } from "../support/until.ts";
import { crash } from "./postgresql_processes.ts";

// (D116, F88) Control's PostgreSQL is killed while the partners of a cell trade.

/** How long control is away. */
const AWAY_MS = sized(6_000, 240_000);
const AWAY_SECONDS = 300;
const CALLERS = 3;

const server = await runReplicating({ durable: true });
const cellServer = await runPostgreSQL({ durable: false });
const service = await startTestService({ instances: 0, server: server.url });
const { test: control, partners: [bankB] } = service;
const cell = await openTestDatabase({ server: cellServer.url });
after(async () => {
  await endCopies(cell);
  await cell.close();
  await service.close();
  await cellServer.stop();
  await server.stop();
});

const operators = operatorWithCells({
  file: join(temporaryFolder(), "cells"),
  control,
  masterKeyText: service.admin.masterKeyText,
});
const sabika = operatorOf(await operators.envOf({ b: cell.urlAs("sabika_operator") }));
await copyFromControl({ server, control, cell });
await sabika("cell", "add", "b");
const bankA = await admitWithGold(service.admin, "of-b", 0n, { cell: "b" });
await sabika(
  ...commandLine`vault bar add SA-1 --refiner R --fineness 999.9 --weight 1000`,
);
await until(async () =>
  (await cell.database.sql`select from partners where partner_id = ${bankA.partnerId}`).length > 0
);
await sabika("vault", "allocate", "of-b", "900");

const revocationsFolder = temporaryFolder();

/** An instance of both databases whose clock is this many milliseconds ahead. */
async function startInstance(more: Partial<ServiceSettings> = {}) {
  const clock = { aheadMs: 0 };
  const logged: string[] = [];
  const instance = service.createInstance(
    (_level, event, fields) => logged.push(`${event} ${fields?.reason ?? ""}`),
    {
      cellUrls: new Map([["b", cell.urlAs("sabika_app")]]),
      controlAwaySeconds: AWAY_SECONDS,
      revocationsFolder,
      watch: { host: "127.0.0.1", port: 0 },
      ...more,
    },
    () => Date.now() + clock.aheadMs,
  );
  const { port, watchPort } = await instance.start();
  const callerOf = (partner: ServicePartner) => ({ ...service.caller(partner), port: port! });
  const ask = (partner: ServicePartner, request: Parameters<typeof sendRaw>[1]) =>
    sendRaw(callerOf(partner), request);
  return {
    clock,
    logged,
    stop: () => instance.stop(),
    ask,
    token: async (partner: ServicePartner) =>
      String(JSON.parse((await ask(partner, tokenRequest(partner))).body).access_token),
    watched: async (path: "/metrics" | "/ready") =>
      await (await fetch(`http://127.0.0.1:${watchPort}${path}`)).text(),
  };
}

type Instance = Awaited<ReturnType<typeof startInstance>>;

/** A quote and its order with the given nonce and key; the code of what was refused, or `ok`. */
async function buy({ ask }: Instance, partner: ServicePartner, token: string) {
  const quote = await ask(partner, write("/v1/quotes", token, '{"side":"buy","gold_grams":0.01}'));
  if (quote.status !== 201) return { code: codeOf(quote), request: undefined };
  const request = await signed(
    partner,
    "/v1/orders",
    token,
    `{"quote_id":"${JSON.parse(quote.body).id}"}`,
  );
  return { code: codeOf(await ask(partner, request)), request };
}

const ordersOf = async ({ partnerId }: ServicePartner) =>
  (await cell.database.sql`select from orders where partner_id = ${partnerId}`).length;

test("while control is killed an instance starts from its snapshot, and trades for as long (F88)", async () => {
  const snapshotFile = join(temporaryFolder(), "control.snapshot");
  const settings = { snapshotFile, revocationsFolder: temporaryFolder() };
  const first = await startInstance(settings);
  try {
    const token = await first.token(bankA);
    const fund = write("/sandbox/fund", token, '{"amount_sar":100000}');
    assertEquals((await first.ask(bankA, fund)).status, 201);
    const kept = () => readFile(snapshotFile, "utf8").catch(() => "");
    await until(async () => (await kept()).includes('"cells":{"b"'));
  } finally {
    await first.stop();
  }
  await crash(server);
  const second = await startInstance(settings);
  try {
    for (const event of ["snapshot_read as of 20", "control_away ", "cell_open "]) {
      assert(second.logged.some((line) => line.startsWith(event)), second.logged.join("\n"));
    }
    const token = await second.token(bankA);
    assertEquals((await buy(second, bankA, token)).code, "ok");
    assertEquals((await second.ask(bankB, HEALTH)).status, 503);
    second.clock.aheadMs = AWAY_SECONDS * 1_000;
    const late = await second.ask(bankA, read("/v1/limits", token));
    assertEquals(codeOf(late), "service_unavailable");
    second.clock.aheadMs = 0;
    const folder = settings.revocationsFolder;
    await sabika(
      ...commandLine`certificate block ${bankA.certificate.hashHex} --folder ${folder}
        --environment sandbox --yes`,
    );
    await until(
      async () =>
        codeOf(await second.ask(bankA, read("/v1/limits", token))) === "client_certificate_unknown",
      3_000,
    );
    await server.start();
    await until(() => second.logged.includes("control_back "), 60_000);
    await until(async () => (await second.ask(bankB, HEALTH)).status === 200);
  } finally {
    await second.stop();
  }
  // A cell that was started anew may have been put back: it is compared first.
  await crash(server);
  await cellServer.kill();
  await cellServer.start();
  await assertRejects(() => startInstance(settings), Error, "neither control nor a cell");
  await server.start();
});

test("while control is killed the partners of a cell trade on, and all else waits (F88)", async () => {
  const earlier = await ordersOf(bankA);
  const instance = await startInstance();
  const { ask } = instance;
  let isOver = false;
  try {
    const [a, b] = [await instance.token(bankA), await instance.token(bankB)];
    const fund = write("/sandbox/fund", a, '{"amount_sar":100000}');
    assertEquals((await ask(bankA, fund)).status, 201);

    const codes: string[] = [];
    const callers = Array.from({ length: CALLERS }, async () => {
      while (!isOver) codes.push((await buy(instance, bankA, a)).code);
    });
    // What the test awaits at its end; a failure before that is its own.
    for (const caller of callers) caller.catch(() => {});
    await until(() => codes.length > 2 * CALLERS);
    await crash(server);
    const killedMs = performance.now();
    await until(() => instance.logged.some((line) => line.startsWith("control_away")));
    const before = codes.length;

    // What must wait: partners of control's own cell, strangers to the register, and what control keeps.
    await until(async () => (await ask(bankB, read("/v1/limits", b))).status === 503);
    const revocation = tokenRequest(bankA, { token: a });
    for (
      const request of [
        read("/v1/vault", a),
        read("/v1/credentials", a),
        await signed(bankA, "/v1/credentials/signing-key", a, '{"csr":"none"}'),
        read("/.well-known/sabika-receipt-keys.json", a),
        { ...revocation, target: "/oauth/revoke" },
      ]
    ) {
      const answer = await ask(bankA, request);
      assertEquals([answer.status, answer.headers.get("retry-after")], [503, "1"], request.target);
    }
    assertEquals((await ask(bankA, HEALTH)).status, 200);
    assertEquals((await ask(bankB, HEALTH)).status, 503);
    assertMatch(
      await instance.watched("/ready"),
      /^ready\ncontrol is away since \S+, partners of other cells trade until \S+\n$/,
    );
    const metrics = await instance.watched("/metrics");
    assertMatch(metrics, /^sabika_control_away_seconds (?!0$)/m);
    assertMatch(metrics, /^sabika_control_away_left_seconds 2/m);
    // A new token is signed by the key that is known; each layer still refuses what is wrong.
    const fresh = await instance.token(bankA);
    const { code, request } = await buy(instance, bankA, fresh);
    assertEquals(code, "ok");
    assertEquals(codeOf(await ask(bankA, request!)), "nonce_reused");
    const wrong = await signed({ signingKey: bankB.signingKey }, "/v1/orders", fresh, "{}");
    assertEquals(codeOf(await ask(bankA, wrong)), "signature_invalid");
    assertEquals(codeOf(await ask(bankA, read("/v1/limits", b))), "token_certificate_mismatch");

    await until(() => performance.now() - killedMs > AWAY_MS, AWAY_MS + 10_000);
    isOver = true;
    await Promise.all(callers);
    assert(codes.length > before + CALLERS, "nobody traded while control was away");
    assertEquals(codes.filter((code) => code !== "ok"), []);

    // Longer than the bound.
    instance.clock.aheadMs = AWAY_SECONDS * 1_000;
    const late = await ask(bankA, read("/v1/limits", a));
    assertEquals(codeOf(late), "service_unavailable");
    assertStringIncludes(late.body, "whether your certificate is still good cannot be found out");
    assertMatch(await instance.watched("/ready"), /^not ready\n/);
    instance.clock.aheadMs = 0;

    // A certificate is blocked without control, by the folder, and stays so.
    assertEquals((await ask(bankA, read("/v1/limits", a))).status, 200);
    await sabika(
      ...commandLine`certificate block ${bankA.certificate.hashHex} --folder ${revocationsFolder}
        --environment sandbox --yes`,
    );
    const isEnded = async () =>
      codeOf(await ask(bankA, read("/v1/limits", a))) === "client_certificate_unknown";
    // A second by the decision; a busy machine gets two more.
    await until(isEnded, 3_000);

    await server.start();
    await until(() => instance.logged.includes("control_back "), 60_000);
    assertEquals((await ask(bankB, read("/v1/limits", b))).status, 200);
    assert(await isEnded(), "control did not know of the block");
    assertEquals(await ordersOf(bankA), earlier + codes.length + 1);
    const { differences } = await sabika<{ differences: unknown[] }>("reconcile", "--full");
    assertEquals(differences, []);
  } finally {
    isOver = true;
    await instance.stop();
  }
});
