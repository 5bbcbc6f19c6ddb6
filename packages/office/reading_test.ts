import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { type Database, openDatabase } from "@sabika/database";
import { listRecounts } from "@sabika/service/ledger";
import { mayDo, type Role, ROLES, rolesFor } from "@sabika/terms";
import { performAct } from "./acts/perform.ts";
import { admitPartner } from "./partners/admit_partner.ts";
import { anAdmission } from "../../test/support/test_admin.ts";
import type { TestBrowser } from "../../test/support/test_browser.ts";
import { openTestOffice } from "../../test/support/test_office.ts";
import { createOffice } from "./create_office.ts";
import { MARGINS } from "./reads/margins.ts";
import { WITHDRAWALS } from "./reads/money.ts";
import { READS } from "./reads/reads.ts";
import { readPart } from "./reads/run_read.ts";
import { ORDERS, QUOTES } from "./reads/trades.ts";
import { each } from "../../test/support/each.ts";

const people = new Map<Role, TestBrowser>();
const office = await openTestOffice();
assert((await admitPartner(office.admin, anAdmission("bank-one"))).ok);
for (let n = 1; n <= 3; n++) {
  const input = { partner: "bank-one", amount_sar: `${n}000`, reference: `FT${n}` };
  const act = { name: "funding.credit", arguments: input, breakGlass: "a test" };
  assert((await performAct(office.admin, act)).ok);
  // Another millisecond, so that ids sort in this order.
  office.admin.clock.nowMs += 1;
}
for (const role of ROLES) people.set(role, await office.person(`only-${role}`, [role]));
after(() => office.close());

/** A path with its parameters filled in; no resource has the id. */
const pathOf = (path: string) =>
  path.replace("{partner}", "bank-one").replace("{pool}", "main")
    .replace(/\{(?:id|serial|version)\}/, "no-such-id").replace("{day}", "2026-01-01");

test("every read is open to the roles of its act, and to nobody without a session", async () => {
  const wrong: string[] = [];
  for (const read of READS) {
    const path = pathOf(read.path);
    for (const [role, browser] of people) {
      const { status } = await browser.get(path);
      const isOpen = path.endsWith("no-such-id") ? status === 404 : status === 200;
      const fits = mayDo([role], read.act)
        ? isOpen || path.includes("no-such-id/")
        : status === 403;
      if (!fits) wrong.push(`${role} ${path}: ${status}`);
    }
    const anonymous = await office.send("GET", `/admin/v1${path}`);
    if (anonymous.status !== 401) wrong.push(`nobody ${path}: ${anonymous.status}`);
  }
  assertEquals(wrong, []);
});

test("pages of trades may be read on standbys; other pages, files and programs may not (D121)", async () => {
  const { database } = office.admin;
  let pastReads = 0;
  const past: Database["past"] = (read) => {
    pastReads++;
    return read(database);
  };
  const admin = { ...office.admin, database: { ...database, past } };
  const context = createOffice(admin, "https://office.example").readContext({
    operatorId: 1,
    name: "amal",
    roles: [],
    keyId: null,
    signedInUntilMs: null,
  });
  const request = { query: { limit: 5 } };
  const cases = [
    [ORDERS, "usable cells", true],
    [QUOTES, "usable cells", true],
    [MARGINS, "usable cells", true],
    [ORDERS, "every cell", false],
    [WITHDRAWALS, "usable cells", false],
  ] as const;
  for (const [read, policy, expected] of cases) {
    pastReads = 0;
    await readPart<unknown>(read, context, request, policy);
    assertEquals(pastReads > 0, expected, `${read.path} ${policy}`);
  }
});

test("a partner that is being moved is read with the cell it moves to, and the step of the move", async () => {
  const { sql } = office.admin.database;
  const show = async () => (await people.get("support")!.get("/partners/bank-one")).json.moving;
  assertEquals(await show(), undefined);
  // A cell that no read looks into.
  await sql`insert into cells (cell_id, state) values ('gone', 'removed')`;
  await sql`insert into partner_moves (move_id, partner_id, from_cell, to_cell, leave_act_id,
      enter_act_id)
    select gen_random_uuid(), partner_id, 'main', 'gone', gen_random_uuid(), gen_random_uuid()
    from partners`;
  const { since, ...moving } = await show();
  assertEquals(moving, { to: "gone", step: "copying" });
  assert(Date.parse(since) > 0, since);
  await sql`update partner_moves set step = 'cancelled', ended_at = now()`;
  assertEquals(await show(), undefined);
});

test("a partner is read with its holdings, and a list goes on where the page before ended", async () => {
  const treasury = people.get("treasury")!;
  const { json: partner } = await treasury.get("/partners/bank-one");
  assertEquals([partner.client_id, partner.status], ["bank-one", "active"]);
  assertEquals([partner.holdings.sar, partner.settings.vat_percent], [6000, 0]);
  assertEquals((await treasury.get("/partners")).json.data.length, 1);
  assertEquals((await treasury.get("/partners/nobody")).status, 404);

  const first = (await treasury.get("/fundings?limit=2")).json;
  assertEquals(first.data.map((funding: { reference: string }) => funding.reference), [
    "FT3",
    "FT2",
  ]);
  const second = (await treasury.get(`/fundings?limit=2&cursor=${first.next_cursor}`)).json;
  assertEquals(second.data.map((funding: { amount_sar: number }) => funding.amount_sar), [1000]);
  assertEquals([second.has_more, second.next_cursor], [false, null]);
  const auditor = people.get("auditor")!;
  const newest = (await auditor.get("/audit?limit=1")).json;
  const older = (await auditor.get(`/audit?limit=1&cursor=${newest.next_cursor}`)).json;
  assertEquals(older.data[0].sequence, newest.data[0].sequence - 1);
  const mistakes = [
    "/fundings?limit=0",
    "/fundings?cursor=x",
    "/fundings?status=x",
    "/audit?cursor=x",
    "/partners?limit=1",
    "/orders?idempotency_key=0123456789abcdef",
    "/partners/bank-one/orders?cursor=x",
  ];
  for (const wrong of mistakes) {
    const browser = wrong.startsWith("/audit") ? auditor : treasury;
    assertEquals([wrong, (await browser.get(wrong)).json.code], [wrong, "invalid_request"]);
  }
});

test("the books agree, and the OpenAPI document names every path", async () => {
  const auditor = people.get("auditor")!;
  assertEquals((await auditor.get("/reconcile")).json.data, []);
  const [recount] = await listRecounts(office.admin.database.sql, 1);
  assertEquals([recount?.who, recount?.partners, recount?.differenceCount], ["only-auditor", 1, 0]);
  const { json: document } = await auditor.get("/openapi.json");
  for (const { path } of READS) assert(document.paths[path].get, path);
  for (const path of ["/acts", "/acts/stage", "/sign-in", "/enrolment", "/sign-out"]) {
    const answer = await office.send("POST", `/admin/v1${path}`, { body: {} });
    assert(document.paths[path].post && answer.status !== 404, path);
  }
  assert(document.paths["/single-sign-on"].get && document.paths["/single-sign-on/return"].get);
  assertEquals(document["x-acts"]["price.pause"].roles, rolesFor("price.pause"));
  const credit = document["x-acts"]["funding.credit"].arguments;
  assertEquals(credit.required, ["partner", "amount_sar", "reference"]);
  assertEquals(credit.properties.amount_sar.format, "decimal");
});

test("while a cell is killed, reads that need it are unavailable and the others answer", async () => {
  // Nothing listens there, as when PostgreSQL is killed after the database was opened.
  const gone = openDatabase("postgres://sabika_operator@127.0.0.1:1/sabika", { maxConnections: 1 });
  const incomplete = await openTestOffice({
    cells: { names: () => Promise.resolve(["b"]), open: () => Promise.resolve(gone) },
  });
  await incomplete.admin.database.sql`insert into cells (cell_id, state) values ('b', 'open')`;
  const amal = await incomplete.person("amal", ROLES);
  const unavailable: string[] = [];
  for (const { path } of READS.filter(({ path }) => !path.includes("{"))) {
    const { status, json } = await amal.get(path);
    if (status === 200) continue;
    assertEquals([path, status, json.code], [path, 503, "service_unavailable"]);
    unavailable.push(path);
  }
  await Promise.all([incomplete.close(), gone.close()]);
  assertEquals(
    unavailable,
    each(
      "/partners /webhook-endpoints /orders /quotes /fundings /withdrawals /margins /vault /reconcile",
    ),
  );
});
