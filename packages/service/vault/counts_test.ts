import { createHash } from "node:crypto";
import { after, test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { formatTime } from "@sabika/protocol";
import { byForce } from "../../../test/support/by_force.ts";
import { actAs } from "../../../test/support/acts.ts";
import { openTestAdmin } from "../../../test/support/test_admin.ts";
import { inspectCount } from "../../../test/support/test_outsider.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { withAuditRecord } from "../audit/audit_record.ts";
import { verifyAudit } from "../audit/audit_chain.ts";
import { addBar, moveBar, removeBar } from "./bar_acts.ts";
import { readLastCounts } from "./last_counts.ts";
import {
  changeAllocated,
  createVaultReader,
  findCount,
  isStopped,
  listCounts,
  listOpenDifferences,
  listPlaces,
} from "./mod.ts";

const SHELF = "Riyadh, shelf 4";
let nowMs = Date.now();
const admin = { ...await openTestAdmin(), now: () => nowMs += 1_000 };
const cases = [
  ["C-1", 1_000n, SHELF],
  ["C-2", 500n, SHELF],
  ["D-1", 5n],
] as const;
for (const [serial, grams, place] of cases) {
  const bar = {
    serial,
    refiner: "Refinery",
    finenessTenThousandths: 9_950,
    weightMicrograms: grams * 1_000_000n,
    ...place !== undefined && { place },
  };
  assert((await addBar(admin, bar)).ok);
}
after(() => admin.close());

const count = (bars: readonly string[], unexpected: readonly string[] = [], place?: string) =>
  actAs(admin, "vault.count", { bars, unexpected, ...place !== undefined && { place } });
const open = async () =>
  (await listOpenDifferences(admin.database.sql)).map(({ serial, finding }) =>
    `${serial} ${finding}`
  );

/** The last count of all bars of the pool `main`. */
async function lastOfMain() {
  const nowMs = admin.now();
  return (await readLastCounts(admin.database.sql, { fromMs: nowMs, toMs: nowMs }))("main", nowMs);
}

test("a count says of each bar of its place what was found, and changes no bar", async () => {
  const { sql } = admin.database;
  const bars = () => sql`select * from vault_bars order by serial`;
  const before = await bars();
  const outcome = await count(["C-1=999.5"], ["X-9"], SHELF);
  assert(outcome.ok);
  const found = await findCount(sql, outcome.value.countId);
  const { lines, countedAtMs, sha256, text, inspection, ...figures } = found!;
  assertEquals(figures, {
    countId: outcome.value.countId,
    place: SHELF,
    countedBy: admin.actor.who,
    acceptedAtMs: null,
    poolId: "main",
    version: 3,
    expected: 2,
    expectedMicrograms: 1_492_500_000n,
    found: 1,
    foundMicrograms: 994_502_500n,
    missing: 1,
    unexpected: 1,
    different: 1,
    inspectedBy: null,
  });
  assertEquals(inspection, null);
  assertEquals(lines.map(({ serial, finding }) => [serial, finding]), [
    ["C-1", "different"],
    ["C-2", "missing"],
    ["X-9", "unexpected"],
  ]);
  assertEquals(lines, outcome.value.lines);
  const expected = `{"counted_at":"${formatTime(countedAtMs)}","different":["C-1"],"found":[],` +
    `"missing":["C-2"],"place":"${SHELF}","pool":"main","version":3}`;
  assertEquals(text, expected);
  assertEquals(sha256, createHash("sha256").update(expected).digest("hex"));
  // Only one place of the pool was counted.
  assertEquals(await lastOfMain(), null);
  assertEquals(await bars(), before);
  assertEquals(await open(), ["C-1 different", "C-2 missing", "X-9 unexpected"]);
});

test("a difference is settled by the act that makes the record true, or by an inspected count", async () => {
  assert((await removeBar(admin, "C-2")).ok);
  assertEquals(await open(), ["C-1 different", "X-9 unexpected"]);
  const weightMicrograms = 100_000_000n;
  const bar = {
    refiner: "Refinery",
    finenessTenThousandths: 9_999,
    weightMicrograms,
    place: SHELF,
  };
  assert((await addBar(admin, { serial: "X-9", ...bar })).ok);
  assertEquals(await open(), ["C-1 different"]);
  // A count of another place settles nothing here.
  assert((await count([], [], "Jeddah")).ok);
  assertEquals(await open(), ["C-1 different"]);
  const again = await count(["C-1=1000", "X-9", "D-1"]);
  assert(again.ok);
  // One person alone does not settle it.
  assertEquals(await open(), ["C-1 different"]);
  await inspectCount(admin, again.value.countId);
  assertEquals(await open(), []);
  const last = await lastOfMain();
  assertEquals([last!.version, last!.by], [5, admin.actor.who]);
  const counts = await listCounts(admin.database.sql, { limit: 10 });
  assertEquals(counts.map(({ place, expected }) => [place, expected]), [
    [null, 3],
    ["Jeddah", 0],
    [SHELF, 2],
  ]);
  const rest = await listCounts(admin.database.sql, { limit: 1, before: counts[0]!.countId });
  assertEquals(rest, [counts[1]]);
});

test("a count is refused for a bar that is there twice, off the list, or on it and not expected", async () => {
  const cases = [
    [["C-1", "C-1"], [], "invalid_amount"],
    [["C-1"], ["C-1"], "invalid_amount"],
    [["C-1=heavy"], [], "invalid_amount"],
    [["C-1=0"], [], "invalid_amount"],
    [["Q-1"], [], "not_found"],
    [[], ["C-1"], "already_exists"],
    [[], ["#"], "invalid_amount"],
  ] as const;
  for (const [bars, unexpected, code] of cases) {
    const outcome = await count(bars, unexpected);
    assertEquals(outcome.ok ? "done" : outcome.code, code, bars.join());
  }
});

test("the database refuses a count that leaves a bar out, and a line that comes later", async () => {
  const { sql } = admin.database;
  await assertRejects(
    () => sql`insert into vault_counts values (gen_random_uuid(), null, now(), 'eve')`,
    Error,
    "not of the bars",
  );
  const [count] = await listCounts(sql, { limit: 1 });
  await assertRejects(
    () =>
      sql`insert into vault_count_lines (count_id, serial, is_seen) values (${
        count!.countId
      }, 'Z-1', true)`,
    Error,
    "closed",
  );
  await assertRejects(
    () =>
      sql`insert into vault_count_lines (count_id, serial, is_seen)
      values (gen_random_uuid(), 'Z-1', true)`,
    Error,
    "vault_count_lines_count_fk",
  );
});

test("nothing more is allocated from a pool while its difference is open, and goes on once accepted", async () => {
  const { database } = admin;
  const allocate = (pool: string) =>
    database.sql.begin((sql) => changeAllocated(sql, pool, 1_000_000n));
  const stopped = (pool: string) => database.sql.begin((sql) => isStopped(sql, pool));
  assert((await actAs(admin, "pool.create", { pool: "second" })).ok);
  const bar = { refiner: "R", finenessTenThousandths: 9_999, weightMicrograms: 5_000_000n };
  assert((await addBar(admin, { serial: "S-1", ...bar }, "second")).ok);
  const counted = await actAs(admin, "vault.count", { bars: ["S-1=4.9"], pool: "second" });
  assert(counted.ok);
  assertEquals([counted.value.pool, counted.value.version], ["second", 1]);
  assert(await stopped("second"));
  await assertRejects(() => allocate("second"), Error, "a difference that is open");
  assert(!await stopped("main"));
  assert(await allocate("main"));
  const wrong = await actAs(admin, "vault.count.accept", { count: "1", reason: "no such count" });
  assertEquals(wrong.ok || wrong.code, "not_found");
  const accept = () =>
    actAs(admin, "vault.count.accept", { count: counted.value.countId, reason: "a worn scale" });
  assert((await accept()).ok);
  const twice = await accept();
  assertEquals(twice.ok || twice.code, "invalid_state");
  assert(await allocate("second"));
  // What is accepted is of one count: the next that finds it stops allocation again, and an act settles it.
  assert((await actAs(admin, "vault.count", { bars: [], pool: "second" })).ok);
  await assertRejects(() => allocate("second"), Error, "a difference that is open");
  const again = await actAs(admin, "vault.count", { bars: ["S-1"], pool: "second" });
  assert(again.ok);
  await assertRejects(() => allocate("second"), Error, "a difference that is open");
  await inspectCount(admin, again.value.countId);
  assert(await allocate("second"));
  // Where there are several pools, a count of them all names none.
  const all = await count(["C-1", "X-9", "D-1", "S-1"]);
  assert(all.ok);
  assertEquals([all.value.pool, all.value.version], [null, null]);
  // Receipts and GET /v1/vault name, of each pool, the last count of all its bars.
  const nowMs = admin.now();
  const lastOf = await readLastCounts(database.sql, { fromMs: nowMs, toMs: nowMs });
  assertEquals([lastOf("main", nowMs)?.version, lastOf("second", nowMs)?.version], [5, 1]);
  // Whatever clocks say: a count names the version that it counted.
  const shift = (hours: number) =>
    byForce(database, `update pool_versions set made_at = made_at + interval '${hours} hours'`);
  await shift(1);
  const later = await readLastCounts(database.sql, { fromMs: nowMs, toMs: nowMs });
  assertEquals(later("second", nowMs)?.version, 1);
  await shift(-1);
  assert((await actAs(admin, "vault.count", { bars: [], pool: "second" })).ok);
  const { partnerId } = await admitTestPartner(database, { allocationMicrograms: 0n });
  const reader = createVaultReader({ database, now: admin.now });
  assertEquals((await reader.vault(partnerId))?.lastCount?.agrees, true);
  assert((await actAs(admin, "vault.count", { bars: ["S-1"], pool: "second" })).ok);
  const unknown = await actAs(admin, "vault.count", { bars: [], pool: "third" });
  assertEquals(unknown.ok || unknown.code, "not_found");
});

test("neither another place nor a count of it, signed or not, settles that a bar is missing", async () => {
  const bar = { refiner: "R", finenessTenThousandths: 9_999, weightMicrograms: 5_000_000n };
  assert((await addBar(admin, { serial: "P-1", ...bar, place: "Abha" })).ok);
  const inspected = async (place: string, bars: string[], unexpected: string[] = []) => {
    const counted = await actAs(admin, "vault.count", { bars, unexpected, place, pool: "main" });
    assert(counted.ok);
    await inspectCount(admin, counted.value.countId);
  };
  const ofThese = async () => (await open()).filter((found) => /^[PQ]-/.test(found));
  await inspected("Abha", []);
  assert((await moveBar(admin, "P-1", "Najran")).ok);
  assertEquals(await ofThese(), ["P-1 missing"]);
  // The bar is not on the list of the place any more, so nobody looked for it there.
  await inspected("Abha", []);
  assertEquals(await ofThese(), ["P-1 missing"]);
  await inspected("Najran", ["P-1"]);
  assertEquals(await ofThese(), []);
  // A bar that is on no list is looked for where it was.
  await inspected("Abha", [], ["Q-9"]);
  await inspected("Najran", ["P-1"]);
  assertEquals(await ofThese(), ["Q-9 unexpected"]);
  await inspected("Abha", []);
  assertEquals(await ofThese(), []);
  assert((await removeBar(admin, "P-1")).ok);
});

test("a count while bars come, go and move has the bars of one moment", async () => {
  const bar = { refiner: "R", finenessTenThousandths: 9_999, weightMicrograms: 1_000_000n };
  for (let n = 0; n < 10; n++) {
    const outcomes = await Promise.all([
      addBar(admin, { serial: `M-${n}`, ...bar, place: SHELF }),
      n === 0 ? count([]) : removeBar(admin, `M-${n - 1}`),
      count([], [], SHELF),
      moveBar(admin, "D-1", n % 2 === 0 ? SHELF : "Dammam"),
      count([]),
    ]);
    // The database refuses a count of another list.
    assertEquals(outcomes.filter(({ ok }) => !ok), []);
  }
  assert((await removeBar(admin, "M-9")).ok);
  assert((await moveBar(admin, "D-1", "Dammam")).ok);
});

test("a bar is moved within the vault, and the log has its counts and places", async () => {
  assertEquals(await listPlaces(admin.database.sql), ["Dammam", SHELF]);
  assert((await moveBar(admin, "D-1", "Jeddah")).ok);
  assertEquals(await listPlaces(admin.database.sql), ["Jeddah", SHELF]);
  const wrong = await moveBar(admin, "D-1", " ");
  assertEquals(wrong.ok || wrong.code, "invalid_setting");
  const unknown = await moveBar(admin, "Q-1", "Jeddah");
  assertEquals(unknown.ok || unknown.code, "not_found");
  const { findings } = await withAuditRecord(admin.database.sql, (record) => verifyAudit(record));
  assertEquals(findings, []);
});
