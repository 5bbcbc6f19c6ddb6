import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { byForce } from "../../../test/support/by_force.ts";
import { openTestAdmin } from "../../../test/support/test_admin.ts";
import { addPerson } from "../../../test/support/test_people.ts";
import { whileChanged } from "../../../test/support/while_changed.ts";
import { verifyAudit } from "./audit_chain.ts";
import { withAuditRecord } from "./audit_record.ts";

const admin = await openTestAdmin();
after(() => admin.close());
const { database } = admin;
const amal = await addPerson(admin, "amal", ["administrator", "prices"]);
assert((await amal.ask("price.pause")).ok);
assert((await amal.ask("price.resume")).ok);

/** Which signatures are forged by what the log says, each entry's action first. */
async function forged(): Promise<string[]> {
  const { findings } = await withAuditRecord(database.sql, verifyAudit);
  return findings.filter(({ finding }) => finding === "forged").map(({ message }) => message);
}

const KEYS = ["operator_keys", "key_id", ["valid_from", "valid_until"]] as const;
const LOG = ["audit_log", "audit_id", ["actor", "action", "hash"]] as const;
const BOTH = "action in ('price.pause', 'price.resume')";

/** Sets an entry's actor and action, and the hash that it has then. */
const entryOf = (actor: string, action: string, where: string) =>
  `actor = ${actor}, action = ${action},
    hash = audit_entry_hash(audit_id, at, ${actor}, ${action}, partner_id, detail, previous_hash)
    where ${where}`;

/** What somebody who may write everything could change, and what is said of it. */
const CHANGES = [
  [...KEYS, "valid_until = now() - interval '1 hour'", "not amal's at that time"],
  [...KEYS, "valid_from = now() + interval '1 hour'", "not amal's at that time"],
  ["acts", "act_id", ["arguments"], "arguments = '{\"x\":1}'", "signature is not amal's"],
  [...LOG, entryOf("'badr'", "action", BOTH), "not badr's"],
  [...LOG, entryOf("actor", "'price.set'", BOTH), "amal signed price."],
] as const;

for (const [table, key, columns, set, message] of CHANGES) {
  test(`signatures are forged by a change of ${table}: ${message}, ${set.split(" ")[0]}`, async () => {
    assertEquals(await forged(), []);
    const found = await whileChanged(database, { table, key, columns }, set, forged);
    assertEquals(found.map((text) => text.includes(message)), [true, true], found.join("\n"));
  });
}

test("an act that waited for another person is forged where nobody approved it", async () => {
  const requested = entryOf("actor", "'approval.request'", "action = 'price.pause'");
  await byForce(database, `update audit_log set ${requested}`);
  await database.sql`insert into audit_log (at, actor, action, detail)
    select at, actor, 'price.pause', detail from audit_log where action = 'approval.request'`;
  const [row] = await database.sql`select max(audit_id) as last from audit_log`;
  assertEquals(await forged(), [`entry ${row!["last"]}: nobody approved it`]);
});
