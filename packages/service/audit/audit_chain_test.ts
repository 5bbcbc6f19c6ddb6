import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { ActName } from "@sabika/terms";
import { byForce } from "../../../test/support/by_force.ts";
import { openTestDatabase } from "../../../test/support/test_database.ts";
import { writeAudit } from "./audit.ts";
import { type PublishedHead, verifyAudit } from "./audit_chain.ts";
import { readAuditHead, withAuditRecord } from "./audit_record.ts";

const tested = await openTestDatabase();
after(() => tested.close());

const COLUMNS = "audit_id, at, actor, action, partner_id, detail, previous_hash, hash";
const odd = "a:b,c\n'\"\\ é ب \u{10403}";

async function act(name: string, partnerId: number | null = null): Promise<void> {
  const action = name as ActName;
  const admin = { actor: { who: odd, from: "test" }, now: () => 1_700_000_000_123 };
  await tested.database.sql.begin((sql) => writeAudit(sql, admin, action, partnerId, { odd }));
}

const none = await readAuditHead(tested.database.sql);
for (let n = 1; n <= 8; n++) await act(`act.${n}`, n % 2 === 0 ? n : null);

const verify = (heads: PublishedHead[] = []) =>
  withAuditRecord(tested.database.sql, (record) => verifyAudit(record, heads));

const found = async (heads: string[] = []) => {
  const { findings } = await verify(heads.map((hash) => ({ hash })));
  return findings.map(({ finding, auditId, untilId }) =>
    [finding, auditId, untilId].filter((part) => part !== undefined && part !== null).join(" ")
  );
};

/** Makes a change by force, verifies the log, undoes the change; returns what was found. */
async function foundAfter(change: string, undo: string): Promise<string[]> {
  const wrong = (await byForce(tested.database, change), await found());
  await byForce(tested.database, undo);
  assertEquals(await found(), []);
  return wrong;
}

test("entries are numbered without gaps and chained, and a refused act leaves no trace", async () => {
  const { database: { sql } } = tested;
  const before = await readAuditHead(sql);
  await sql.begin(async (tx) => {
    await tx`insert into audit_log (actor, action) values ('someone', 'is refused')`;
    throw new Error("refused");
  }).catch(() => {});
  assertEquals(await readAuditHead(sql), before);
  const verified = await verify([before, { hash: before.hash }]);
  const { breakGlasses: _, ...head } = before;
  assertEquals([verified.entries, verified.findings, verified.head], [8, [], head]);
  assertEquals([verified.signed, verified.breakGlasses], [0, 0]);
  assertEquals(before.auditId, 8n);
});

test("concurrent acts are chained one after another", async () => {
  await Promise.all(Array.from({ length: 6 }, (_, n) => act(`at.once.${n}`)));
  assertEquals(await found(), []);
});

test("a changed field of any kind is found, with the entry that has it", async () => {
  const cases = [
    ["actor", "'somebody else'"],
    ["action", "'act.x'"],
    ["detail", "'{}'"],
    ["partner_id", "9"],
    ["partner_id", "null"],
    ["at", "at + interval '1 millisecond'"],
  ];
  for (const [column, value] of cases) {
    await byForce(tested.database, "create table kept as select * from audit_log");
    const undo = `update audit_log a set ${column} = k.${column} from kept k
      where k.audit_id = a.audit_id; drop table kept`;
    const change = `update audit_log set ${column} = ${value} where audit_id = 4`;
    assertEquals(await foundAfter(change, undo), ["changed 4"], column);
  }
});

test("an entry that was changed together with its hash is found by the next entry", async () => {
  const rehash = `hash = audit_entry_hash(audit_id, at, actor, action, partner_id, detail,
    previous_hash)`;
  const set = (action: string) => [
    `update audit_log set action = '${action}' where audit_id = 4`,
    `update audit_log set ${rehash} where audit_id = 4`,
  ];
  const wrong = await foundAfter(set("act.x").join(";"), set("act.4").join(";"));
  assertEquals(wrong, ["changed 4"]);
});

test("removed entries are found, in the middle, at the beginning and at the end", async () => {
  const cut = async (where: string) => {
    await byForce(tested.database, "create table kept as select * from audit_log");
    return await foundAfter(
      `delete from audit_log where ${where}`,
      `insert into audit_log (${COLUMNS}) select ${COLUMNS} from kept where ${where}; drop table kept`,
    );
  };
  assertEquals(await cut("audit_id = 4"), ["missing 4 4"]);
  assertEquals(await cut("audit_id between 3 and 5"), ["missing 3 5"]);
  assertEquals(await cut("audit_id = 1"), ["missing 1 1"]);
  const { auditId } = await readAuditHead(tested.database.sql);
  assertEquals(await cut(`audit_id = ${auditId}`), [`missing ${auditId} ${auditId}`]);
});

test("entries that were swapped are found", async () => {
  const swap = `update audit_log set audit_id = 9 - audit_id + 1000 where audit_id in (4, 5);
    update audit_log set audit_id = audit_id - 1000 where audit_id > 1000`;
  assertEquals(await foundAfter(swap, swap), ["reordered 4", "reordered 5", "reordered 6"]);
});

test("a first entry that follows another, and a head that is behind, are found", async () => {
  const { sql } = tested.database;
  const { auditId } = await readAuditHead(sql);
  const keep = "create table kept as select * from";
  const follows = `${keep} audit_log; update audit_log set previous_hash = sha256('')
    where audit_id = 1`;
  const undo = `update audit_log a set previous_hash = k.previous_hash from kept k
    where k.audit_id = a.audit_id; drop table kept`;
  assertEquals(await foundAfter(follows, undo), ["missing", "changed 1"]);
  const behind = `${keep} audit_head; update audit_head set audit_id = audit_id - 1`;
  const back = "update audit_head set audit_id = k.audit_id from kept k; drop table kept";
  assertEquals(await foundAfter(behind, back), [`changed ${auditId}`]);
  const other = `${keep} audit_head; update audit_head set hash = sha256('')`;
  const same = "update audit_head set hash = k.hash from kept k; drop table kept";
  assertEquals(await foundAfter(other, same), [`changed ${auditId}`]);
  assertEquals(await found(["00".repeat(32)]), [], "published before the first entry");
  assertEquals(none, { auditId: 0n, hash: "00".repeat(32), breakGlasses: 0 });
  const { hash } = await readAuditHead(sql);
  assertEquals((await verify([{ hash, auditId }])).findings, []);
  const { findings } = await verify([{ hash, auditId: 3n }, { hash: "11" }]);
  const unled = "and the log does not lead to it";
  assertEquals(findings.map(({ message }) => message), [
    `the head ${hash} was published for entry 3, ${unled}`,
    `the head 11 was published, ${unled}`,
  ]);
});

test("a long log is read in batches, each after the last", async () => {
  const { sql } = tested.database;
  const before = await readAuditHead(sql);
  await sql`insert into audit_log (at, actor, action, detail)
    select now(), 'someone', 'act.many', '{}' from generate_series(1, 1000)`;
  const verified = await verify([before]);
  assertEquals([verified.entries, verified.findings], [Number(before.auditId) + 1_000, []]);
});

test("a log that was rewritten with all hashes and its head is found only by a published head", async () => {
  const { database } = tested;
  const published = await readAuditHead(database.sql);
  await act("after.it");
  assertEquals(await found([published.hash]), []);
  await byForce(
    database,
    "create table kept as select * from audit_log",
    "create table kept_head as select * from audit_head",
    "update audit_log set action = 'act.x' where audit_id = 2",
    `do $$
    declare e audit_log; head bytea;
    begin
      select hash into head from audit_log where audit_id = 1;
      for e in select * from audit_log where audit_id > 1 order by audit_id loop
        update audit_log set previous_hash = head,
          hash = audit_entry_hash(audit_id, at, actor, action, partner_id, detail, head)
          where audit_id = e.audit_id returning hash into head;
      end loop;
      update audit_head set hash = head;
    end $$`,
  );
  assertEquals(await found(), []);
  assertEquals(await found([published.hash]), ["rewritten"]);
  const { findings } = await verify([published]);
  assertEquals(findings.map(({ finding, auditId }) => [finding, auditId]), [
    ["rewritten", published.auditId],
  ]);
  assert(findings[0]!.message.includes(published.hash));
});
