import { after, test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { openDatabase } from "@sabika/database";
import { setPartnerStatus } from "@sabika/office/partners";
import { listAudit } from "@sabika/service/audit";
import { guardBalances } from "@sabika/service/ledger";
import { sendRaw } from "../../test/support/raw_https.ts";
import { codeOf } from "../../test/support/answers.ts";
import { signed, write } from "../../test/support/service_requests.ts";
import { type ServicePartner } from "../../test/support/service_partner.ts";
import { startTestService } from "../../test/support/test_service.ts";
import { readDatabaseFigures } from "./observability/database_figures.ts";

// Fault F26: somebody with all rights changes a balance.

const service = await startTestService();
after(() => service.close());
const [wronged, neighbour] = service.partners;
const { database } = service.test;
const { sql } = database;

const move = (halalas: number) =>
  sql`update accounts set cash_halalas = cash_halalas + ${halalas}::bigint,
    bank_halalas = bank_halalas - ${halalas}::bigint where partner_id = ${wronged.partnerId}`;
/** Waits for the next round of any instance; returns its findings. */
const round = () => guardBalances({ database, everySeconds: 0 });

/** Makes a quote and orders it; returns the code of the first refusal, or `ok`. */
async function trade(partner: ServicePartner, token: string): Promise<string> {
  const quoted = await send(partner, write("/v1/quotes", token, '{"side":"buy","gold_grams":1}'));
  if (quoted.status !== 201) return codeOf(quoted);
  return codeOf(await send(partner, await order(partner, token, JSON.parse(quoted.body).id)));
}
const send = (partner: ServicePartner, request: Parameters<typeof sendRaw>[1]) =>
  sendRaw(service.caller(partner), request);
const order = (partner: ServicePartner, token: string, quoteId: string) =>
  signed(partner, "/v1/orders", token, JSON.stringify({ quote_id: quoteId }));

test("a balance changed by hand stops its partner's trading until an operator resumes it", async () => {
  const tokens = new Map<ServicePartner, string>();
  for (const partner of service.partners) {
    const token = await service.token(partner);
    tokens.set(partner, token);
    const funding = write("/sandbox/fund", token, '{"amount_sar":10000}');
    assertEquals(codeOf(await send(partner, funding)), "ok");
    assertEquals(await trade(partner, token), "ok");
  }
  const [wrongedToken, neighbourToken] = [tokens.get(wronged)!, tokens.get(neighbour)!];
  const quoting = write("/v1/quotes", wrongedToken, '{"side":"buy","gold_grams":1}');
  const { id: openQuote } = JSON.parse((await send(wronged, quoting)).body);
  assertEquals(await round(), []);

  await move(12_345);
  // Lets an instance begin a round by itself.
  await sql`update balance_round set finished_at = null`;
  const lines: string[] = [];
  let tellStopped: () => void = () => {};
  const stopped = new Promise<void>((resolve) => tellStopped = resolve);
  const instance = service.createInstance((level, event, fields) => {
    if (level === "error") lines.push(`${event} ${fields?.partner} ${fields?.reason ?? ""}`);
    if (event === "partner_stopped") tellStopped();
  });
  await instance.start();
  await stopped;
  await instance.stop();
  assertEquals(lines.length, 2, lines.join("\n"));
  assertStringIncludes(lines[0]!, `balances_wrong ${wronged.clientId} cash `);
  assertStringIncludes(lines[0]!, "bank -10000 SAR, is -10123.45 SAR");
  assertEquals(lines[1], `partner_stopped ${wronged.clientId} `);
  assertEquals((await readDatabaseFigures(database, Date.now()))?.balances.wrongBalances, 1);

  await service.refresh();
  const refused = await Promise.all([
    send(wronged, await order(wronged, wrongedToken, openQuote)),
    send(wronged, quoting),
    send(wronged, await signed(wronged, "/v1/withdrawals", wrongedToken, '{"amount_sar":10}')),
    send(wronged, write("/sandbox/fund", wrongedToken, '{"amount_sar":10}')),
  ]);
  assertEquals(refused.map(codeOf), Array.from({ length: 4 }, () => "partner_suspended"));
  assertEquals(await trade(neighbour, neighbourToken), "ok");
  const [audit] = await listAudit(sql, { limit: 1, clientId: wronged.clientId });
  assertEquals([audit?.who, audit?.action], ["reconcile", "partner.suspend"]);
  assertEquals(audit?.detail["bank"], "-10000 SAR, is -10123.45 SAR");

  // Resumed too early.
  const resume = () => setPartnerStatus(service.admin, wronged.clientId, "active");
  assert((await resume()).ok);
  // Found also while nobody can be suspended, in control (D116).
  const control = openDatabase("postgres://nobody@127.0.0.1:1/none", { maxConnections: 1 });
  const found = await guardBalances({ database, control, everySeconds: 0 });
  await control.close();
  assertEquals(found!.map(({ clientId, isStopped }) => [clientId, isStopped]), [
    [wronged.clientId, false],
  ]);
  const again = await round();
  assertEquals(again!.map(({ clientId, isNew, isStopped }) => [clientId, isNew, isStopped]), [
    [wronged.clientId, false, true],
  ]);
  await service.refresh();
  assertEquals(await trade(wronged, wrongedToken), "partner_suspended");

  // Put right, and then resumed.
  await move(-12_345);
  assertEquals(await round(), []);
  assertEquals((await readDatabaseFigures(database, Date.now()))?.balances.wrongBalances, 0);
  await service.refresh();
  assertEquals(await trade(wronged, wrongedToken), "partner_suspended");
  assert((await resume()).ok);
  assertEquals(await round(), []);
  await service.refresh();
  assertEquals(await trade(wronged, wrongedToken), "ok");
});
