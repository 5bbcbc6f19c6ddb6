import { after, test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { refuse } from "@sabika/protocol";
import { openTestMarket } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { changePartner, inTransaction, stampRevision } from "./change.ts";

const { database, close } = await openTestMarket();
after(close);
const { sql } = database;
for (let n = 0; n < 2; n++) await admitTestPartner(database, { cashHalalas: 0n });
await sql`update register_state set revision = 100`;
const [, partner] = await sql<{ clientId: string; partnerId: number }[]>`
  select client_id as "clientId", partner_id as "partnerId" from partners order by partner_id`;
const { clientId, partnerId } = partner!;
const admin = { database, actor: { who: "amal", from: "test" }, now: Date.now };

/** The names and revisions of partners, the register's revision, and how many entries the log has. */
async function state() {
  const [row] = await sql<{ partners: string; revision: number; entries: number }[]>`
    select (select string_agg(name || ' ' || revision, ', ' order by partner_id) from partners) as partners,
      revision::int as revision, (select count(*)::int from audit_log) as entries from register_state`;
  return row!;
}

const rename = (name: string, which = clientId, context: Partial<typeof admin> = {}) =>
  changePartner(
    { ...admin, ...context },
    which,
    "partner.suspend",
    async (sql, partner) => {
      await sql`update partners set name = ${name} where partner_id = ${partner.partnerId}`;
      if (name === "wrong") throw new Error("a surprise");
      return name === ""
        ? refuse("invalid_name", "no name")
        : { ok: true, value: 7, audit: { name } };
    },
  );

test("a change advances the register's revision, sets it on the partner and is in the log", async () => {
  const before = await state();
  assertEquals(await rename("new"), { ok: true, value: 7 });
  const after = await state();
  assertEquals([after.revision, after.entries], [101, before.entries + 1]);
  assertEquals(after.partners.split(", ")[0], before.partners.split(", ")[0]);
  assertEquals(after.partners.split(", ")[1], "new 101");
  const [entry] = await sql`select partner_id as partner, action from audit_log
    order by audit_id desc limit 1`;
  assertEquals(entry, { partner: partnerId, action: "partner.suspend" });
});

test("a refusal, an unknown partner and a surprise leave nothing", async () => {
  const before = await state();
  const refused = await rename("");
  assertEquals(refused.ok ? "ok" : refused.code, "invalid_name");
  const unknown = await rename("new", "nobody");
  assertEquals(unknown.ok ? "ok" : unknown.code, "not_found");
  await assertRejects(() => rename("wrong"), Error, "a surprise");
  assertEquals(await state(), before);
});

test("in a transaction of the caller's, the caller decides whether a refusal undoes what was done", async () => {
  const context = { ...admin, transaction: undefined };
  await sql.begin(async (transaction) => {
    const outcome = await inTransaction({ ...context, transaction }, async (tx) => {
      await tx`update partners set name = 'kept' where partner_id = ${partnerId}`;
      return refuse("invalid_name", "no name");
    });
    assertEquals(outcome.ok, false);
    await stampRevision(transaction, null);
  });
  const { partners, revision } = await state();
  assertEquals([partners.split(", ")[1], revision], ["kept 101", 102]);
});
