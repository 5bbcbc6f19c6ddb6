import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { after, test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { openDatabase } from "@sabika/database";
import { createOffice, createSmtpSender, type Person, startNotifier } from "@sabika/office";
import { listApprovals, performAct } from "@sabika/office/acts";
import { createFixedPrice } from "@sabika/service/prices";
import { openConsoleApp, signedInPerson } from "../../test/support/console_app.ts";
import { listen } from "../../test/support/listen.ts";
import { openTestBank } from "../../test/support/test_admin.ts";
import { addPerson } from "../../test/support/test_people.ts";
import { withMailbox } from "../../test/support/with_mailbox.ts";
import { MESSAGES } from "./languages/languages.ts";
import { writeMail } from "./write_mail.ts";

const { admin } = await openTestBank();
const { database } = admin.testDatabase;
const asOperator = openDatabase(admin.testDatabase.urlAs("sabika_operator"), { maxConnections: 2 });
const ORIGIN = "https://office.sabika.example";
const prices = createFixedPrice({ midTenThousandths: 4_000_000n });
const errors: unknown[] = [];
const viewers: Record<string, Person> = {};

for (const [name, roles] of [["guest", ["auditor"]], ["carol", ["support"]]] as const) {
  const added = await performAct(admin, {
    name: "operator.add",
    arguments: { operator: name, roles },
  });
  assert(added.ok);
}
const amal = await addPerson(admin, "amal", ["treasury", "administrator"]);
const badr = await addPerson(admin, "badr", ["treasury", "administrator"]);
const rows = await database.sql<{ id: number; name: string }[]>`
  select operator_id as id, name from operators`;
for (const { id, name } of rows) {
  viewers[name] = { ...signedInPerson(name, ["treasury"]), operatorId: id };
}
after(async () => {
  await asOperator.close();
  await admin.close();
});

async function ask(name: string, path: string, form?: Record<string, string> | string) {
  const office = createOffice({ ...admin, database: asOperator }, ORIGIN);
  const app = openConsoleApp({ office, viewer: viewers[name], prices, errors });
  const answer = await app.request(path, {
    ...form !== undefined && { method: "POST", body: new URLSearchParams(form) },
  });
  return { status: answer.status, to: answer.headers.get("location"), text: await answer.text() };
}
const read = async (name: string, language = "en") =>
  (await ask(name, `/${language}/notifications`)).text;
const unreadOf = (page: string) => Number(/([0-9]+) unread</.exec(page)?.[1] ?? 0);

/** Asks for money that a second person has to agree to; returns the request's id. */
async function request(reference: string): Promise<string> {
  const asked = await amal.ask("funding.credit", {
    partner: "bank-one",
    amount_sar: "900000.00",
    reference,
  });
  assert(asked.ok && "waiting" in asked.value, "it waits");
  return asked.value.waiting;
}

async function decide(request: string, name: "approval.approve" | "approval.reject") {
  const [found] = await listApprovals(database.sql, "sandbox", { nowMs: Date.now(), id: request });
  const input = name === "approval.approve" ? { sha256: found!.sha256 } : { reason: "no invoice" };
  assert((await badr.ask(name, { request, ...input })).ok, name);
}

test("what waits is told to those who may decide, and what came of it to who asked", async () => {
  const first = await request("R-1");
  const waiting = await read("badr");
  assertEquals(unreadOf(waiting), 1);
  assertStringIncludes(
    waiting,
    `amal asks for a second person: ${MESSAGES.en.acts["funding.credit"]}`,
  );
  for (const name of ["amal", "guest", "carol"]) assertEquals(unreadOf(await read(name)), 0, name);
  await decide(first, "approval.approve");
  // Nobody has to read what was decided meanwhile.
  assertEquals(unreadOf(await read("badr")), 0);
  await decide(await request("R-2"), "approval.reject");
  const decided = await read("amal");
  assertEquals(unreadOf(decided), 2);
  assertStringIncludes(decided, "badr approved your request, and it is done");
  assertStringIncludes(decided, "badr rejected your request");
  assertStringIncludes(decided, "no invoice");
  assertStringIncludes(await read("amal", "ar"), "رفض badr طلبك");
  assertEquals(errors, []);
});

test("a person marks their own notifications as read, one or all, and nobody else's", async () => {
  const id = /name="id" value="([0-9]+)"/.exec(await read("amal"))![1]!;
  await ask("badr", "/en/notifications/read", { id });
  assertEquals(unreadOf(await read("amal")), 2);
  const marked = await ask("amal", "/en/notifications/read", { id });
  assertEquals([marked.status, marked.to], [303, "/en/notifications"]);
  assertEquals(unreadOf(await read("amal")), 1);
  const through = /name="through" value="([0-9]+)"/.exec(await read("amal"))![1]!;
  await ask("amal", "/en/notifications/read", { through });
  assertEquals(unreadOf(await read("amal")), 0);
  for (const form of ["id=x", "", "id=9999999999"]) {
    assertEquals((await ask("amal", "/en/notifications/read", form)).status, 303);
  }
});

test("a request that is refused at once tells nobody", async () => {
  const count = async () =>
    (await database.sql<{ n: number }[]>`select count(*)::integer as n from notifications`)[0]!.n;
  const before = await count();
  const refused = await amal.ask("funding.credit", {
    partner: "nobody-there",
    amount_sar: "900000.00",
    reference: "R-9",
  });
  assert(!refused.ok);
  assertEquals(await count(), before);
});

/** Starts what sends, and ends it after the body; `failed` is the reason of the first failure. */
async function whileSending(
  server: URL,
  body: (failed: Promise<string>) => Promise<void>,
  limitMs = 15_000,
): Promise<void> {
  let fail = (_reason: string) => {};
  const failed = new Promise<string>((resolve) => fail = resolve);
  const stop = startNotifier({
    ...admin,
    database: asOperator,
    origin: ORIGIN,
    log: (_level, _event, { reason = "" } = {}) => fail(reason),
    prices,
    reserveLowMicrograms: 0n,
    webhook: undefined,
    writeMail,
    pollMs: 50,
    sendMail: createSmtpSender(
      { server, from: "office@sabika.example" },
      { limitMs, extraCaPem: admin.authorities.root.pem },
    ),
  });
  try {
    await body(failed);
  } finally {
    await stop();
  }
}

/** Sets on their page what a person gets by mail. */
async function wantsMail(name: string, language: "en" | "ar") {
  const path = `/${language}/notifications/settings`;
  const saved = await ask(name, path, {
    address: `${name}@bank.example`,
    language,
    approval_waiting: "mail",
    approval_refused: "mail",
    recount_missing: "none",
  });
  assertEquals([saved.status, saved.to], [303, `${path}?saved`]);
}

test("what a person typed wrongly is said at its field, and nothing typed is lost", async () => {
  const path = "/en/notifications/settings";
  const cases = [
    ["badr", "This is not a mail address"],
    ["", "Needed for what"],
  ] as const;
  for (const [address, says] of cases) {
    const wrong = await ask("badr", path, { address, language: "ar", approval_waiting: "mail" });
    assertEquals(wrong.status, 303);
    const page = await ask("badr", wrong.to!);
    assertEquals(page.status, 400);
    assertStringIncludes(page.text, says);
    assertStringIncludes(page.text, `value="${address}"`);
    assertStringIncludes(page.text, '<option value="mail" selected="">');
  }
  const untouched = (await ask("badr", path)).text;
  assert(!untouched.includes('<option value="mail" selected="">'));
  // Roles that read no books are told nothing of them, so they set nothing.
  assertEquals(untouched.includes('name="recount_missing"'), true);
  viewers["prices"] = { ...viewers["carol"]!, roles: ["prices"] };
  const prices = (await ask("prices", path)).text;
  assertEquals([prices.includes('name="recount_missing"'), prices.includes('name="price_stale"')], [
    false,
    true,
  ]);
});

test("a mail about an act has its dossier and a link, in the person's language", async () => {
  await wantsMail("badr", "ar");
  await wantsMail("amal", "en");
  const waiting = await request("R-3");
  await withMailbox(admin, (next, server) =>
    whileSending(server, async () => {
      const asked = await next();
      assertEquals([asked.to, asked.from], [["badr@bank.example"], "office@sabika.example"]);
      assertStringIncludes(asked.subject, "طلب amal موافقة شخص ثانٍ");
      assertStringIncludes(asked.text, "900,000.00 ر.س");
      assertStringIncludes(asked.text, `${ORIGIN}/ar/approvals\n`);
      await decide(waiting, "approval.reject");
      const rejected = await next();
      assertEquals(rejected.to, ["amal@bank.example"]);
      assertStringIncludes(rejected.subject, "badr rejected your request");
      for (const says of ["Reason: no invoice", "900,000.00 SAR", "bank-one", "R-3", ORIGIN]) {
        assertStringIncludes(rejected.text, says);
      }
    }));
});

test("a mail server that hangs or refuses delays no act, and gets the mail later", async () => {
  const open: Socket[] = [];
  let isSilent = true;
  const silent = createServer((socket) => void (isSilent ? open.push(socket) : socket.destroy()));
  const server = new URL(`smtp://127.0.0.1:${await listen(silent)}`);
  const first = await request("R-4");
  const before = unreadOf(await read("badr"));
  const attempts = async () =>
    (await database.sql<{ attempts: number; failure: string | null }[]>`
      select attempts, failure from notification_deliveries join notifications using (notification_id)
      where channel = 'mail' and subject = ${first}`)[0]!;
  await whileSending(server, async (failed) => {
    await once(silent, "connection");
    // The act and the page are done while the mail server says nothing.
    const second = await request("R-5");
    assertEquals(unreadOf(await read("badr")), before + 1);
    await decide(second, "approval.approve");
    assertEquals((await attempts()).failure, null);
    isSilent = false;
    for (const socket of open) socket.destroy();
    assertStringIncludes(await failed, "ECONNECTION");
  }, 5_000);
  const due = () =>
    database.sql`update notification_deliveries set next_attempt_at = clock_timestamp()`;
  isSilent = true;
  await due();
  await whileSending(server, async (failed) => assertEquals(await failed, "ETIMEDOUT"), 100);
  await new Promise((resolve) => silent.close(resolve));
  await due();
  await whileSending(server, async (failed) => assertStringIncludes(await failed, "ESOCKET"));
  await due();
  await withMailbox(
    admin,
    (next, server) =>
      whileSending(server, async () => assertStringIncludes((await next()).text, "R-4")),
  );
  assertEquals([(await attempts()).attempts, (await attempts()).failure], [4, null]);
  await decide(first, "approval.approve");
  // They want to hear nothing of the books, which were never recounted.
  assert(!(await read("badr")).includes("recounted"));
  assertStringIncludes(await read("guest"), "The books have not been recounted yet");
});
