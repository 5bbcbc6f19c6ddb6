import { after, test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { openDatabase } from "@sabika/database";
import { setFixedPrice } from "../../test/support/fixed_price.ts";
import { readAuditRecord, verifyAudit } from "@sabika/service/audit";
import { createReceiptSigner, makeReceipts } from "@sabika/service/receipts";
import { createTrading } from "@sabika/service/trading";
import { listBars, recordCount } from "@sabika/service/vault";
import { mayDo, type Role, ROLES, rolesFor } from "@sabika/terms";
import { createOffice, type Person } from "@sabika/office";
import { parseId } from "@sabika/protocol";
import { openConsoleApp, signedInPerson } from "../../test/support/console_app.ts";
import { openTestAdmin } from "../../test/support/test_admin.ts";
import { makeFirstReserve } from "../../test/support/test_attestation.ts";
import { addPerson } from "../../test/support/test_people.ts";
import { random } from "../../test/support/random.ts";
import { value } from "../../test/support/test_market.ts";
import { admitTestPartner } from "../../test/support/test_partner.ts";
import { LANGUAGES, MESSAGES } from "./languages/languages.ts";
import { PAGES as ALL } from "./pages/pages.ts";

const PAGES = ALL.filter(({ method }) => method === undefined);
const EVIL = `=<script>alert("1")</script>' onload=x`;
const ORDERS = 52;
const FILE = /\.(csv|json|jsonl|jws)$/;

const admin = await openTestAdmin();
const { testDatabase } = admin;
const database = openDatabase(testDatabase.urlAs("sabika_operator"), { maxConnections: 4 });
const prices = await setFixedPrice(testDatabase.database, 4_000_000n);
const orderIds: string[] = [];
/** An id of each kind that has a page, by its prefix. */
const ids: Record<string, string> = { person: "amal", pool: "main", version: "1" };

const { app } = testDatabase;
const trading = createTrading({ database: app, prices, random, now: Date.now });
const bank = await admitTestPartner(testDatabase.database, { cashHalalas: 10_000_000_00n });
const buy = async (clientReference: string | null) => {
  const { id: quoteId } = value(await trading.quote(bank.quote()));
  const order = bank.order(quoteId, { request: { quoteId, clientReference } });
  return value(await trading.order(order)).id;
};
orderIds.push(await buy(EVIL));
orderIds.push(...await Promise.all(Array.from({ length: ORDERS - 1 }, () => buy(null))));
const { sql } = testDatabase.database;
await sql`update partners set name = ${EVIL}`;
for (const name of ["amal", "auditor"]) await addPerson(admin, name, ["auditor"]);
const [row] = await sql<{ client_id: string }[]>`select client_id from partners`;
const clientId = row!.client_id;
value(await trading.withdraw(bank.withdraw(100_00n)));
value(await trading.fund(bank.fund(1_000n)));
const records = await sql<{ prefix: string; id: string }[]>`
  (select 'qt' as prefix, quote_id as id from quotes limit 1)
  union all select 'wd', withdrawal_id from withdrawals
  union all select 'fund', funding_id from fundings
  union all (select 'evt', event_id from events where type = 'order.executed' limit 1)`;
for (const { prefix, id } of records) ids[prefix] = `${prefix}_${id}`;
await makeReceipts(app, createReceiptSigner({ ...admin, control: app }));
const list = await listBars(sql);
const bars = list.map(({ serial }) => ({ serial }));
ids["serial"] = encodeURIComponent(list[0]!.serial);
const day = await makeFirstReserve(admin);
Object.assign(ids, { order: orderIds[0], partner: clientId, day });
const counted = await recordCount(admin, { place: undefined, bars, unexpected: [] });
assert(counted.ok);
ids["count"] = counted.value.countId;
after(async () => {
  await database.close();
  await admin.close();
});

const errors: unknown[] = [];

/** Opens the console behind a listener that has identified the viewer. */
function getAs(viewer: Person | undefined, on = database) {
  const office = createOffice({ ...admin, database: on }, "https://office.sabika.example");
  const app = openConsoleApp({ office, viewer, prices, errors });
  return async (path: string, headers: Record<string, string> = {}, form?: object) => {
    if (form === undefined) return await app.request(path, { headers });
    const body = new URLSearchParams(Object.entries(form));
    return await app.request(path, { method: "POST", body });
  };
}

const noticeFor = (act: (typeof PAGES)[number]["act"]) =>
  `This page is for: ${rolesFor(act).map((role) => MESSAGES.en.roles[role]).join(", ")}.`;
const getPage = getAs(signedInPerson("amal", ROLES));
const pathOf = ({ path }: (typeof PAGES)[number]) =>
  path.replace(
    /:([a-z]+)(?:\{(([a-z]*)(?:[^{}]|\{[^{}]*\})*)\})?/g,
    (_, name, _pattern, prefix) =>
      ids[name as string] ?? ids[prefix as string] ?? "01932c07-209c-7e3c-9d57-6f0f3c1f8a11",
  )
    .replace(/^\/acts\/sign$/, "/acts/sign?act=webhook.ping")
    .replace(/^\/statements.*/, (all) => `${all}?partner=${clientId}`);

test("every page exists in both languages, each in its own writing direction", async () => {
  for (const language of LANGUAGES) {
    for (const page of PAGES) {
      const answer = await getPage(`/${language}${pathOf(page)}`);
      const text = await answer.text();
      assertEquals(answer.status, 200, `${language}${page.path}: ${String(errors[0])}`);
      assertEquals(answer.headers.get("cache-control"), "no-store");
      const file = FILE.exec(page.path)?.[1];
      if (file !== undefined) {
        const other = { csv: "text/csv", jws: "application/jose" }[file];
        const type = other ?? `application/${file}`;
        assertStringIncludes(answer.headers.get("content-type")!, type);
        continue;
      }
      const direction = language === "ar" ? "rtl" : "ltr";
      assertStringIncludes(text, `<!doctype html><html lang="${language}" dir="${direction}">`);
      assertStringIncludes(text, MESSAGES[language].skip);
      const other = language === "ar" ? "en" : "ar";
      assertStringIncludes(text, `href="/${other}${pathOf(page)}"`);
      assertEquals(text.match(/<h1>/g)?.length, 1);
    }
  }
});

test("the log is verified and the books are recounted here, and what was found is kept", async () => {
  const { audit: { verification }, books } = MESSAGES.en;
  const verify = (head: string) => getPage("/en/audit/verification", {}, { head });
  const shown = async () => await (await getPage("/en/audit/verification")).text();
  assertStringIncludes(await shown(), verification.never);
  const wrong = await verify("5f");
  assertEquals(wrong.status, 400);
  assertStringIncludes(await wrong.text(), verification.wrongHead);
  assertStringIncludes(await shown(), verification.never);
  assertEquals((await verify("")).status, 303);
  const whole = await shown();
  const [head] = await testDatabase.database.sql<{ hash: string }[]>`
    select encode(hash, 'hex') as hash from audit_head`;
  assertStringIncludes(whole, head!.hash);
  await Promise.all([verify(head!.hash), verify("ab".repeat(32))]);
  assertStringIncludes(await shown(), verification.kinds.rewritten);
  const record = await (await getPage("/en/audit.jsonl")).text();
  const { findings } = await verifyAudit(readAuditRecord(record), [{ hash: head!.hash }]);
  assertEquals(findings, []);
  assertStringIncludes(await (await getPage("/en/books")).text(), books.never);
  assertEquals((await getPage("/en/books", {}, {})).status, 303);
  assertStringIncludes(await (await getPage("/en/books")).text(), books.last);
  assertEquals((await getPage("/en/books", {}, {})).status, 303);
});

test("a page is for the roles that permit its act, and others are told which those are", async () => {
  for (const role of ROLES as readonly Role[]) {
    const get = getAs(signedInPerson(role, [role]));
    for (const page of PAGES) {
      const answer = await get(`/en${pathOf(page)}`);
      const expected = mayDo([role], page.act) ? 200 : 403;
      assertEquals(answer.status, expected, `${role} ${page.path}`);
      const text = await answer.text();
      if (expected === 403) assertStringIncludes(text, noticeFor(page.act));
      else if (page.path === "") {
        assertEquals(text.includes("Margin"), mayDo([role], "books.read"), role);
        assertEquals(text.includes("Free in the vault"), mayDo([role], "vault.read"), role);
        assertEquals(text.includes('href="/en/orders"'), mayDo([role], "trade.read"), role);
      }
    }
  }
});

test("the navigation groups pages by work, and has no group without a page for the viewer", async () => {
  const cases = [
    [ROLES, "trading,partners,treasury,custody,control"],
    [["prices"], "trading,partners,control"],
  ] as const;
  for (const [roles, expected] of cases) {
    const text = await (await getAs(signedInPerson("amal", roles))("/en/orders")).text();
    const groups = [...text.matchAll(/<p id="group-([a-z]+)">/g)].map(([, group]) => group);
    assertEquals(groups.join(), expected);
  }
});

test("without a session every page redirects to the one for signing in", async () => {
  const get = getAs(undefined);
  for (const page of PAGES) {
    const answer = await get(`/ar${pathOf(page)}`);
    const next = new URLSearchParams({ next: `/ar${pathOf(page)}` });
    assertEquals([answer.status, answer.headers.get("location")], [303, `/ar/sign-in?${next}`]);
  }
  for (const [path, form] of [["sign-in", "sign-in"], ["enrol", "enrol"]]) {
    const text = await (await get(`/en/${path}`)).text();
    assertStringIncludes(text, `data-passkey="${form}"`);
    // This office has no provider for single sign-on.
    assert(!text.includes("single-sign-on"), path);
  }
  const root = await get("/", { "accept-language": "fr, ar-SA;q=0.9, en;q=0.8" });
  assertEquals([root.status, root.headers.get("location")], [302, "/ar"]);
  assertEquals((await get("/enrol")).headers.get("location"), "/en/enrol");
});

test("what partners write is text on every page, and nothing on a page may run or load", async () => {
  const evil = encodeURIComponent(EVIL);
  const searches = [
    `/search?q=${evil.slice(0, 20)}`,
    `/orders?partner=${evil}`,
    `/orders?before=${evil}`,
  ];
  const paths = PAGES.filter(({ path }) => !FILE.test(path)).map(pathOf);
  for (const path of [...paths, ...searches, `/${evil}`]) {
    const answer = await getPage(`/en${path}`);
    const text = await answer.text();
    assert(!text.includes("<script>"), path);
    assertEquals(text.match(/<script[^>]*>/g)?.every((tag) => / src="\/assets\//.test(tag)), true);
    assert(!/<[^>]* (?:on\w+|style)=/.test(text.replaceAll(/"[^"]*"/g, '""')), path);
    assert(!/(?:href|src|action)="(?!\/|#)/.test(text), path);
    assertEquals(
      answer.headers.get("content-security-policy"),
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; " +
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    assertEquals(answer.headers.get("x-content-type-options"), "nosniff");
    assertEquals(answer.headers.get("referrer-policy"), "same-origin");
  }
  const story = await (await getPage(`/en/orders/${orderIds[0]}`)).text();
  assertStringIncludes(story, "=&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;");
  assertStringIncludes(story, `href="/en/orders/${orderIds[0]}/receipt.jws"`);
});

test("every page links style sheet, icon and scripts, which browsers may keep", async () => {
  const page = await (await getAs(undefined)("/en/sign-in")).text();
  const addresses = page.match(/\/assets\/[0-9a-f]{8}\/[\w.]+/g) ?? [];
  assertEquals(new Set(addresses.map((address) => address.split("/")[3])).size, 4);
  for (const address of addresses) {
    const answer = await getAs(undefined)(address);
    assertEquals(answer.status, 200, address);
    assertStringIncludes(answer.headers.get("cache-control")!, "immutable");
  }
});

test("orders are listed page by page and by filters, and the file has them all", async () => {
  const first = await (await getPage(`/en/orders?partner=${clientId}`)).text();
  const [, next] = /rel="next" href="([^"]+)"/.exec(first) ?? [];
  const second = await (await getPage(next!.replaceAll("&amp;", "&"))).text();
  const shown = [first, second].map((text) =>
    [...text.matchAll(/href="\/en\/orders\/(ord_[^"]+)"/g)].map(([, id]) => id!)
  );
  assertEquals(shown.map((ids) => ids.length), [50, ORDERS - 50]);
  assertEquals(shown.flat(), orderIds.toSorted().reverse());
  const file = await getPage("/en/orders.csv?side=buy");
  assertEquals(file.headers.get("content-type"), "text/csv; charset=utf-8");
  const lines = (await file.text()).trimEnd().split("\r\n");
  assertEquals(lines.length, ORDERS + 1);
  assertStringIncludes(lines.at(-1)!, `"'=<script>alert(""1"")</script>' onload=x"`);
  assertEquals((await (await getPage("/en/orders.csv?side=sell")).text()).split("\r\n").length, 2);
  for (const wrong of ["from=yesterday", "to=2026-02-30", "partner=nobody"]) {
    const answer = await getPage(`/en/orders?${wrong}`);
    assertEquals(answer.status, 400, wrong);
    assertStringIncludes(await answer.text(), 'role="alert"');
  }
});

test("an order is found by its id by whoever may read orders, and an unknown one has no page", async () => {
  const found = await getPage(`/en/search?q=${orderIds[3]}`);
  assertEquals(found.headers.get("location"), `/en/orders/${orderIds[3]}`);
  assert(parseId("ord", orderIds[3]!) !== undefined);
  const hidden = await getAs(signedInPerson("amal", ["prices"]))(`/en/search?q=${orderIds[3]}`);
  assertStringIncludes(await hidden.text(), "Nothing is known by");
  const byReference = await getPage(`/en/search?q=${encodeURIComponent(EVIL)}`);
  // The partner has the same text as its name.
  assertStringIncludes(await byReference.text(), `href="/en/orders/${orderIds[0]}"`);
  for (const path of [`/en/orders/ord_${crypto.randomUUID()}`, "/en/nothing", "/ar/orders/ord_1"]) {
    assertEquals((await getPage(path)).status, 404, path);
  }
});

test("a page that fails says so, without the reason", async () => {
  const broken = {
    get sql(): never {
      throw new TypeError("nobody may read this");
    },
  };
  const errorCount = errors.length;
  const answer = await getAs(signedInPerson("amal", ROLES), broken as never)("/en/orders");
  assertEquals([answer.status, errors.length], [500, errorCount + 1]);
  const page = await answer.text();
  assertStringIncludes(page, MESSAGES.en.notices.broken);
  assert(!page.includes("nobody may read this"));
});

test("a page whose database is away says that its rows cannot be read now", async () => {
  const closed = openDatabase(testDatabase.url, { maxConnections: 1 });
  await closed.close();
  const errorCount = errors.length;
  const answer = await getAs(signedInPerson("amal", ROLES), closed)("/en/orders");
  assertEquals([answer.status, errors.length], [503, errorCount + 1]);
  assertStringIncludes(await answer.text(), MESSAGES.en.notices.cellAway);
});
