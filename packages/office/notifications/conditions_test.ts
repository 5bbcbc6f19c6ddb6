import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { openDatabase } from "@sabika/database";
import { keepRecountResult } from "@sabika/service/ledger";
import { listNotifications, setChoices } from "@sabika/service/notifications";
import { createConfiguredPrices } from "@sabika/service/prices";
import { listCounts } from "@sabika/service/vault";
import { Webhook } from "standardwebhooks";
import { byForce } from "../../../test/support/by_force.ts";
import { addOperator, addPerson } from "../../../test/support/test_people.ts";
import { makeServerTls, openTestBank } from "../../../test/support/test_admin.ts";
import { inspectCount, registerOutsider } from "../../../test/support/test_outsider.ts";
import { random } from "../../../test/support/random.ts";
import { startTestReceiver } from "../../../test/support/webhook_receiver.ts";
import { testRecord } from "../../../test/secret_search/record.ts";
import { withMailbox } from "../../../test/support/with_mailbox.ts";
import { until } from "../../../test/support/until.ts";
import { listApprovals, performAct } from "../acts/mod.ts";
import { createSmtpSender } from "./smtp.ts";
import { startNotifier } from "./start_notifier.ts";

const { admin } = await openTestBank();
const { sql } = admin.testDatabase.database;
const database = openDatabase(admin.testDatabase.urlAs("sabika_operator"), { maxConnections: 3 });
const BAR = { refiner: "PAMP", fineness: "999.9" };
const SECRET = `whsec_${btoa("a secret of this test, 32 bytes.")}`;
const prices = createConfiguredPrices({
  ...admin,
  fetch: () => Promise.reject(new Error("no feed is set")),
});

testRecord.secret("webhook secret", SECRET);
const { certificatePem, keyPem: privateKeyPem } = await makeServerTls(admin);
const receiver = await startTestReceiver({ certificatePem, privateKeyPem } as never);
await addOperator(admin, "auditor", ["auditor"]);
await addOperator(admin, "prices", ["prices"]);
await prices.refresh();
after(async () => {
  prices.close();
  await receiver.close();
  await database.close();
  await admin.close();
});

/** Starts what looks and tells, as an office does. */
function start(
  { reserveLowMicrograms = 0n, timeoutMs = 15_000, mailServer }: {
    reserveLowMicrograms?: bigint;
    timeoutMs?: number;
    mailServer?: URL;
  } = {},
) {
  const failures: string[] = [];
  const stop = startNotifier({
    ...admin,
    database,
    prices,
    now: Date.now,
    random,
    origin: "https://office.sabika.example",
    log: (_level, event, { reason, error } = {}) =>
      void failures.push(`${event} ${reason ?? error}`),
    reserveLowMicrograms,
    writeMail: ({ kind }) => ({ subject: kind, text: "" }),
    sendMail: mailServer && createSmtpSender(
      { server: mailServer, from: "office@sabika.example" },
      { limitMs: 15_000, extraCaPem: admin.authorities.root.pem },
    ),
    pollMs: 50,
    webhook: {
      url: `https://127.0.0.1:${receiver.port}/told`,
      secrets: [SECRET],
      extraCaPem: admin.authorities.root.pem,
      timeoutMs,
    },
  });
  return { failures, stop };
}

/** The kinds of all that lasts. */
async function lasting(): Promise<string[]> {
  const rows = await sql<{ kind: string }[]>`
    select distinct kind from notifications where ended_at is null order by kind`;
  return rows.map(({ kind }) => kind);
}

async function idOf(name: string): Promise<number> {
  const [person] = await sql<{ id: number }[]>`
    select operator_id as id from operators where name = ${name}`;
  return person!.id;
}

async function toldTo(name: string): Promise<string[]> {
  const told = await listNotifications(sql, await idOf(name), { limit: 100 });
  return told.map(({ kind }) => kind).sort();
}

/** The bodies that the webhook got, each with a valid signature by another implementation. */
const bodies = () =>
  receiver.received.map(({ headers, body }) => {
    new Webhook(SECRET).verify(body, headers);
    return JSON.parse(body) as { id: string; type: string; data: { subject: string } };
  });

const perform = async (name: string, input = {}) =>
  assert((await performAct(admin, { name, arguments: input })).ok, name);

const ALL = [
  "count_differs",
  "count_unsigned",
  "credential_ending",
  "credential_requested",
  "document_ending",
  "endpoint_down",
  "price_stale",
  "recount_differs",
  "recount_missing",
  "reserve_low",
  "reserve_unattested",
];

test("every condition is told once to the roles it concerns, by mail, and to the webhook, signed", async () => {
  await setChoices(sql, await idOf("auditor"), {
    address: "auditor@bank.example",
    language: "en",
    kinds: Object.fromEntries(ALL.map((kind) => [kind, "mail"])),
  });
  for (const role of ["inspector", "auditor"] as const) await registerOutsider(admin, role);
  await perform("vault.bar.add", { serial: "A-1", ...BAR, weight_grams: "0.5" });
  const dayBefore = { ...admin, now: () => Date.now() - 86_400_000 };
  const counted = { name: "vault.count", arguments: { bars: ["A-1"], unexpected: ["B-9"] } };
  assert((await performAct(dayBefore, counted)).ok);
  await perform("partner.document.set", {
    partner: "bank-one",
    kind: "licence",
    reference: "L-1",
    document_sha256: "ab".repeat(32),
    issued_on: "2026-01-01",
    valid_until: "2026-01-31",
  });
  await perform("price.pause");
  await perform("webhook.disable", { partner: "bank-one" });
  await prices.refresh();
  const found = {
    check: "balance",
    clientId: "bank-one",
    subject: "cash",
    expected: 1n,
    actual: 2n,
  };
  await keepRecountResult(sql, {
    who: "auditor",
    clientId: null,
    sinceMs: null,
    durationMs: 1,
    partners: 1,
    differences: [found] as never,
  });
  await byForce(
    admin.testDatabase.database,
    "update recount_results set finished_at = now() - interval '3 days'",
    "update certificates set valid_until = now() + interval '10 days'",
    `insert into credential_requests select gen_random_uuid(), partner_id, '', '', 'certificate', '', '', 3600, '{"body": "{}"}', now() from partners where client_id = 'bank-one'`,
    "insert into reserves (day, hash, body) values (current_date - 3, encode(sha256('{}'), 'hex'), '{}')",
  );
  // Two offices look at once.
  let offices: ReturnType<typeof start>[] = [];
  await withMailbox(admin, async (next, mailServer) => {
    offices = [1, 2].map(() => start({ reserveLowMicrograms: 1_000_000n, mailServer }));
    const told = new Set<string>();
    while (told.size < ALL.length) {
      const { to, subject } = await next();
      assertEquals(to, ["auditor@bank.example"]);
      told.add(subject);
    }
    assertEquals([...told].sort(), ALL);
  });
  const count = async () =>
    (await sql<{ n: number }[]>`select count(*)::integer as n from notifications`)[0]!.n;
  await until(async () => receiver.received.length === await count());
  for (const { stop } of offices) await stop();
  assertEquals(await lasting(), ALL);
  const ids = bodies().map(({ id }) => id);
  assertEquals(new Set(ids).size, await count());
  const types = new Set(bodies().map(({ type }) => type));
  assertEquals([...types].sort(), ALL.map((kind) => `notification.${kind}`));
  const [down] = bodies().filter(({ type }) => type === "notification.endpoint_down");
  assertEquals(down!.data.subject, "bank-one");
  assertEquals([...new Set(await toldTo("auditor"))], ALL);
  assertEquals(await toldTo("prices"), ["document_ending", "endpoint_down", "price_stale"]);
  assertEquals(offices.flatMap(({ failures }) => failures), []);
});

test("what is over ends, and what comes back within an hour is not told again", async () => {
  const before = await toldTo("prices");
  await perform("webhook.enable", { partner: "bank-one" });
  await perform("price.resume");
  await perform("vault.bar.add", { serial: "B-9", ...BAR, weight_grams: "1000" });
  const [counted] = await listCounts(sql, { limit: 1 });
  await inspectCount(admin, counted!.countId);
  await perform("partner.document.remove", { partner: "bank-one", reference: "L-1" });
  await byForce(
    admin.testDatabase.database,
    "update recount_results set finished_at = now()",
    "update certificates set valid_until = now() + interval '300 days'",
    "delete from reserves",
    "delete from credential_requests",
  );
  await prices.refresh();
  let { stop } = start();
  await until(async () => (await lasting()).join() === "recount_differs");
  await stop();
  await perform("price.pause");
  await prices.refresh();
  ({ stop } = start());
  await until(async () => (await lasting()).join() === "price_stale,recount_differs");
  await stop();
  assertEquals(await toldTo("prices"), before);
});

test("a webhook that hangs or refuses delays no act, and is told later", async () => {
  const waiting = receiver.received.length;
  receiver.behave = () => () => {};
  await sql`update notifications set ended_at = now() - interval '2 hours', created_at = now() - interval '3 hours'
    where kind = 'price_stale'`;
  const hanging = start({ timeoutMs: 400 });
  await until(() => Promise.resolve(receiver.received.length === waiting + 1));
  await perform("partner.suspend", { partner: "bank-one" });
  assertEquals(hanging.failures, []);
  await until(() => Promise.resolve(hanging.failures.length > 0));
  assertEquals(hanging.failures[0], "notification_failed timed out");
  receiver.behave = () => ({ status: 500 });
  await until(() => Promise.resolve(hanging.failures.includes("notification_failed HTTP 500")));
  receiver.behave = () => ({ status: 204 });
  await sql`update notification_deliveries set next_attempt_at = now() where done_at is null`;
  await until(async () =>
    (await sql`select from notification_deliveries where channel = 'webhook' and done_at is null`)
      .length === 0
  );
  await hanging.stop();
  const attempts = bodies().slice(waiting);
  assertEquals(new Set(attempts.map(({ id }) => id)).size, 1, "each attempt has the same id");
});

test("what becomes of a request is told by mail and to the webhook too", async () => {
  await perform("partner.resume", { partner: "bank-one" });
  const before = receiver.received.length;
  const [amal, badr] = [
    await addPerson(admin, "amal", ["treasury", "administrator"]),
    await addPerson(admin, "badr", ["treasury", "administrator"]),
  ];
  const kinds = {
    approval_waiting: "mail",
    approval_done: "mail",
    approval_refused: "mail",
  } as const;
  for (const name of ["amal", "badr"]) {
    const address = `${name}@bank.example`;
    await setChoices(sql, await idOf(name), { address, language: "en", kinds });
  }
  const request = async (reference: string) => {
    const credit = { partner: "bank-one", amount_sar: "900000.00", reference };
    const asked = await amal.ask("funding.credit", credit);
    assert(asked.ok && "waiting" in asked.value, "it waits");
    const id = asked.value.waiting;
    const [{ sha256 } = { sha256: "" }] = await listApprovals(sql, "sandbox", {
      nowMs: admin.now(),
      id,
    });
    return { id, sha256 };
  };
  await withMailbox(admin, async (next, mailServer) => {
    const { stop } = start({ mailServer });
    const told = async (): Promise<string> => {
      const { to, subject } = await next();
      // What the auditor was to be told while no mail server was set.
      return to.includes("auditor@bank.example") ? await told() : `${to} ${subject}`;
    };
    const approved = await request("R-1");
    assertEquals(await told(), "badr@bank.example approval_waiting");
    const { id, sha256 } = approved;
    assert((await badr.ask("approval.approve", { request: id, sha256 })).ok);
    assertEquals(await told(), "amal@bank.example approval_done");
    const rejected = await request("R-2");
    assertEquals(await told(), "badr@bank.example approval_waiting");
    const reason = "no invoice";
    assert((await badr.ask("approval.reject", { request: rejected.id, reason })).ok);
    assertEquals(await told(), "amal@bank.example approval_refused");
    const types = () => new Set(bodies().slice(before).map(({ type }) => type));
    await until(() =>
      Promise.resolve(Object.keys(kinds).every((kind) => types().has(`notification.${kind}`)))
    );
    await stop();
  });
});
