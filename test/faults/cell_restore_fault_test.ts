/** F86: a cell is restored to a time before partners moved and acts were booked. */
import { rm } from "node:fs/promises";
import { after, test } from "node:test";
import { join } from "node:path";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readDatabaseUrl } from "@sabika/database";
import { mustRun } from "../../tools/programs/run_program.ts";
import { readCellStatements, runAll, untilCopied } from "../support/cell_statements.ts";
import { codeOf } from "../support/answers.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";
import { sendRaw } from "../support/raw_https.ts";
import { operatorOf, runOperator } from "../support/run_operator.ts";
import type { ServicePartner } from "../support/service_partner.ts";
import { read, signed, tokenRequest, write } from "../support/service_requests.ts";
import {
  copyFromControl,
  endCopies,
  operatorEnvOf,
  runReplicating,
} from "../support/test_cells.ts";
import { openTestDatabase } from "../support/test_database.ts";
import { startTestService } from "../support/test_service.ts";
import { until } from "../support/until.ts";
import { commandLine } from "../../tools/programs/command_line.ts";

// Control, and a cell in another PostgreSQL, whose files are backed up and restored.
const PATIENCE_MS = 60_000;
const controlServer = await runReplicating();
const cellServer = await runReplicating({ durable: true });
const service = await startTestService({ server: controlServer.url });
const { test: control, partners: [leaver, other] } = service;
const stayer = await service.admit("stayer");
const comer = await service.admit("comer");
const cell = await openTestDatabase({ server: cellServer.url });
const folder = temporaryFolder();
const env = await operatorEnvOf({
  file: join(folder, "cells"),
  control,
  masterKeyText: service.admin.masterKeyText,
  cells: { b: cell.urlAs("sabika_operator") },
});
const sabika = operatorOf(env);
const logged: string[] = [];
const instance = service.createInstance(
  (_level, event, fields) => logged.push(`${event} ${fields?.reason ?? ""}`),
  { cellUrls: new Map([["b", cell.urlAs("sabika_app")]]) },
);
after(async () => {
  await instance.stop();
  await endCopies(cell);
  await cell.close();
  await service.close();
  await cellServer.stop();
  await controlServer.stop();
});

/** Returns functions that call the instance with the cell as a partner. */
async function calls(partner: ServicePartner, port: number) {
  const caller = { ...service.caller(partner), port };
  const token = JSON.parse((await sendRaw(caller, tokenRequest(partner))).body).access_token;
  const done = async (sent: ReturnType<typeof sendRaw>) => {
    const answer = await sent;
    assert(answer.status === 200 || answer.status === 201, answer.body);
    return JSON.parse(answer.body);
  };
  const post = async (target: string, body: string) =>
    await done(sendRaw(caller, await signed(partner, target, token, body)));
  return {
    ask: (target: string) => sendRaw(caller, read(target, token)),
    get: (target: string) => done(sendRaw(caller, read(target, token))),
    fund: () => done(sendRaw(caller, write("/sandbox/fund", token, '{"amount_sar":100000}'))),
    withdraw: () => post("/v1/withdrawals", '{"amount_sar":100}'),
    async buy() {
      const body = '{"side":"buy","gold_grams":1}';
      const quote = await done(sendRaw(caller, write("/v1/quotes", token, body)));
      return await post("/v1/orders", `{"quote_id":"${quote.id}"}`);
    },
  };
}

const orders = async (caller: { get(target: string): Promise<{ data: unknown[] }> }) =>
  (await caller.get("/v1/orders")).data.length;

async function compared() {
  const { stdout, stderr } = await runOperator(["cell", "compare", "b", "--json"], env);
  const { differences } = JSON.parse(stdout || stderr) as {
    differences: { kind: string; partner: string; name: string | null }[];
  };
  return differences.map(({ kind, partner, name }) => `${kind} ${partner} ${name ?? ""}`.trim())
    .sort();
}

/** Replicates control's rows to the cell anew, as docs/scale.md says. */
async function copyAnew(): Promise<void> {
  const connection = `host=${controlServer.socketFolder} port=${controlServer.port} ` +
    `user=sabika_copies dbname=${readDatabaseUrl(control.url).database}`;
  const { sql } = cell.database;
  const [before, atLast] = await readCellStatements("## A cell that was restored", { connection });
  const [, anew] = await readCellStatements("### When control is promoted", { connection });
  await runAll(sql, before!);
  await runAll(sql, anew!);
  await untilCopied(sql);
  await runAll(sql, atLast!);
}

test("a restored cell is not served until it is mended, and then agrees with control (F86)", async () => {
  await copyFromControl({ server: controlServer, control, cell });
  await sabika("cell", "add", "b");
  const { port } = await instance.start();
  const [a, b, c, d] = await Promise.all(
    [leaver, stayer, comer, other].map((partner) => calls(partner, port!)),
  );
  for (const partner of [a!, b!, c!, d!]) await partner.fund();
  for (const { clientId } of [leaver, stayer]) {
    await sabika("partner", "move", clientId, "--to", "b", "--yes");
  }
  await Promise.all([a!.buy(), b!.buy(), c!.buy()]);

  const saved = join(folder, "saved");
  await cellServer.kill();
  await mustRun("cp", ["-a", cellServer.dataFolder, saved], {});
  await cellServer.start();
  await until(async () => (await a!.ask("/v1/balances")).status === 200, PATIENCE_MS);

  // The restore undoes these in the cell, but control has recorded them.
  await sabika("partner", "move", leaver.clientId, "--to", "main", "--yes");
  await sabika("partner", "move", comer.clientId, "--to", "b", "--yes");
  await sabika(
    ...commandLine`vault bar add SA-1 --refiner R --fineness 999.9 --weight 10000`,
  );
  await sabika("vault", "allocate", stayer.clientId, "5");
  await sabika("funding", "credit", stayer.clientId, "700", "--reference", "FT-9");
  await sabika(
    ...commandLine`partner create --client-id newcomer --name New --cell b
      --iban SA0380000000608010167519 --webhook-url https://127.0.0.1:1024/ --with-keys
      --out ${join(folder, "newcomer")}`,
  );
  // The restore undoes these too, and only the cell had recorded them.
  await Promise.all([b!.buy(), c!.buy()]);
  const { id: withdrawal } = await b!.withdraw();
  await sabika("withdrawal", "process", withdrawal, "--yes");
  await sabika("withdrawal", "complete", withdrawal, "--yes");

  await cellServer.kill();
  await rm(cellServer.dataFolder, { recursive: true });
  await mustRun("cp", ["-a", saved, cellServer.dataFolder], {});
  await cellServer.start();

  const logs = (event: string, words: string) =>
    until(() => logged.some((line) => line.startsWith(event) && line.includes(words)), PATIENCE_MS);
  await logs("cell_away", "it differs from what control knows: 1 partner(s) at home here");
  assertEquals(codeOf(await b!.ask("/v1/balances")), "service_unavailable");
  assertEquals([await orders(a!), await orders(d!)], [1, 0]);
  await d!.buy();

  const differences = await compared();
  assert(differences.some((difference) => difference.startsWith("copy ")), differences.join());
  const early = await runOperator(["cell", "mend", "b", "--yes"], env);
  assertEquals(early.code, 1);
  assertStringIncludes(early.stderr, "make its subscription anew first");
  await copyAnew();
  assertEquals(
    await compared(),
    [
      "act comer partner.enter",
      "act bank-a partner.leave",
      "act stayer funding.credit",
      "act stayer vault.allocate",
      "act stayer withdrawal.completed",
      "act stayer withdrawal.processing",
      "elsewhere bank-a",
      "missing comer",
      "missing newcomer",
      "move bank-a left",
      "move comer entered",
    ].sort(),
  );

  const mended = await sabika<{ ok: boolean; mended: { name: string; outcome: string }[] }>(
    ...commandLine`cell mend b --yes`,
  );
  assertEquals(mended.ok, true);
  const outcomes = Object.fromEntries(
    mended.mended.map(({ name, outcome }) => [name ?? outcome, outcome]),
  );
  assertEquals(outcomes, {
    "entered": "entered",
    "funding.credit": "booked",
    "left": "removed",
    "opened": "opened",
    "vault.allocate": "booked",
    "withdrawal.completed": "wrong_status",
    "withdrawal.processing": "wrong_status",
  });
  assertEquals(await compared(), []);
  // The cell may be unavailable again while it is compared with control.
  await until(
    () => logged.findLast((line) => line.startsWith("cell_"))!.startsWith("cell_open"),
    PATIENCE_MS,
  );

  // Orders after the backup are lost if only the cell had them.
  await until(async () => (await b!.ask("/v1/balances")).status === 200, PATIENCE_MS);
  assertEquals([await orders(a!), await orders(b!), await orders(c!)], [1, 1, 1]);
  for (const partner of [a!, b!, c!]) await partner.buy();
  const recount = await runOperator(["reconcile", "--full", "--json"], env);
  const { differences: lost } = JSON.parse(recount.stdout) as {
    differences: { partner: string; check: string }[];
  };
  // The bank has paid a withdrawal that the partner's rows no longer have.
  assertEquals(lost.map(({ partner, check }) => `${check} ${partner}`), [
    "acts stayer",
    "acts stayer",
  ]);
});
