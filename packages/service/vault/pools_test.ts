import { after, test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { byForce } from "../../../test/support/by_force.ts";
import { openTestAdmin } from "../../../test/support/test_admin.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { reconcile } from "../ledger/reconcile.ts";
import { addBar, moveBar, removeBar } from "./bar_acts.ts";
import {
  createVaultReader,
  type PoolVersion,
  readListedBars,
  readVersionInForce,
  replayVersions,
  writeVersion,
} from "./mod.ts";
import { recountVersions } from "./recount_versions.ts";

const GRAM = 1_000_000n;
const admin = await openTestAdmin();
const { sql } = admin.database;
after(() => admin.close());

const bar = (serial: string, more: object = {}) => ({
  serial,
  refiner: 'Sabika & "Söhne" مصفاة',
  finenessTenThousandths: 9_950,
  weightMicrograms: 100n * GRAM,
  ...more,
});
const versions = () =>
  sql<(Pick<PoolVersion, "number" | "kind" | "hash"> & { previous: string | null })[]>`
    select number, kind, hash, previous_hash as previous from pool_versions where pool_id = 'main' order by number`;
const inForce = async () => (await readVersionInForce(sql, "main"))!;

test("each change of a pool's bars is a version, with the hash of its list and of the one before", async () => {
  assert((await addBar(admin, bar("A-2", { documents: ["b".repeat(64), "a".repeat(64)] }))).ok);
  assert((await addBar(admin, bar("A-1", { vault: "Riyadh", finenessTenThousandths: 9_999 }))).ok);
  assert((await moveBar(admin, "A-2", 'Shelf "4"\\')).ok);
  assert((await addBar(admin, bar("A-3"))).ok);
  assert((await removeBar(admin, "A-1")).ok);
  const made = await versions();
  assertEquals(made.map(({ number, kind }) => `${number} ${kind}`), [
    "1 add",
    "2 add",
    "3 replace",
    "4 add",
    "5 remove",
  ]);
  assertEquals(made.slice(1).map(({ previous }) => previous), made.slice(0, -1).map((v) => v.hash));
  // The texts of the database and of this program are the same, byte for byte.
  const texts = await sql<{ text: string }[]>`
    select pool_version_text(pool_id, number, previous_hash, kind) as text from pool_versions order by number`;
  for (const [at, { number, kind, previous }] of made.entries()) {
    const version = { poolId: "main", number, kind, previousHash: previous };
    assertEquals(writeVersion(version, await readListedBars(sql, version)), texts[at]!.text);
  }
  const { partnerId } = await admitTestPartner(admin.database, { allocationMicrograms: 0n });
  const shown = await createVaultReader({ database: admin.database, now: admin.now }).vault(
    partnerId,
  );
  assertEquals([shown?.version, shown?.bars], [
    5,
    (await readListedBars(sql, await inForce())).length,
  ]);
  const { bars } = JSON.parse(texts[2]!.text);
  assertEquals(bars.map((listed: { serial: string }) => listed.serial), ["A-1", "A-2"]);
  assertEquals(bars[1], {
    documents: ["a".repeat(64), "b".repeat(64)],
    fine_ug: "99500000",
    fineness: "995",
    gross_ug: "100000000",
    place: 'Shelf "4"\\',
    refiner: 'Sabika & "Söhne" مصفاة',
    serial: "A-2",
    vault: null,
  });
  assertEquals((await inForce()).number, 5);
  assertEquals(await reconcile(admin.database), []);
  assertEquals(await recountVersions(admin.database, { whole: true }), []);
});

test("the database refuses a version that does not follow, or is not what changed", async () => {
  const { hash, number } = await inForce();
  const remove = "update vault_bars set removed_at = now() where serial = 'A-3'";
  const version = (next: number, previous: string, kind: string, digest: string) =>
    `insert into pool_versions (pool_id, number, previous_hash, kind, fine_micrograms, hash) values ('main', ${next},
      '${previous}', '${kind}', 99500000, ${digest})`;
  const right = (kind: string) =>
    `encode(sha256(convert_to(pool_version_text('main', ${
      number + 1
    }, '${hash}', '${kind}'), 'UTF8')), 'hex')`;
  const cases: readonly [string, string][] = [
    ["pool_version_bars_version_fk", ""],
    ["pool_versions_follow", version(number + 2, hash, "remove", right("remove"))],
    ["pool_versions_follow", version(number + 1, "0".repeat(64), "remove", right("remove"))],
    ["pool_versions_changed", version(number + 1, hash, "add", right("add"))],
    ["pool_versions_changed", version(number + 1, hash, "remove", `repeat('0', 64)`)],
  ];
  for (const [constraint, statement] of cases) {
    const failed = await assertRejects(() =>
      sql.begin((tx) => tx.unsafe(`${remove}; ${statement}`))
    );
    assertEquals((failed as { constraint_name?: string }).constraint_name, constraint);
  }
  // Nothing has changed.
  await assertRejects(() => sql.unsafe(version(number + 1, hash, "add", right("add"))));
  assertEquals((await inForce()).number, number);
});

test("a pool covers what is allocated from it, and a serial is in one pool once", async () => {
  await sql`insert into pools (pool_number, pool_id) values (0, 'second')`;
  const [second] = await sql`select pool_number from pools where pool_id = 'second'`;
  assertEquals(second, { pool_number: 2 });
  assert((await addBar(admin, bar("B-1"), "second")).ok);
  const twice = await addBar(admin, bar("A-2"), "second");
  assertEquals(twice.ok || twice.code, "already_exists");
  const move = () => sql`update vault_bars set pool_id = 'second' where serial = 'A-2'`;
  await assertRejects(move, Error, "a bar leaves its pool before it enters another");
  await assertRejects(
    () => sql`update vault set allocated_micrograms = 100000000 where pool_id = 'second'`,
    Error,
    "vault_backs_allocations",
  );
  await assertRejects(() => sql`update pools set pool_id = 'third'`, Error, "append only");
});

test("recountVersions() finds a bar, a version and a link of the chain that the owner altered", async () => {
  const found = async (statement: string, back: string) => {
    await byForce(admin.database, statement);
    const differences = await recountVersions(admin.database, { whole: true });
    const last = await recountVersions(admin.database, { whole: false });
    await byForce(admin.database, back);
    assertEquals(last, differences.slice(-1));
    return differences.map(({ check, subject }) => `${check} ${subject}`);
  };
  const place = (text: string) =>
    `update pool_version_bars set place = ${text} where serial = 'A-3'`;
  assertEquals(await found(place("'x'"), place("null")), [
    "pools main version 4",
    "pools main version 5",
  ]);
  const { hash } = await inForce();
  const previous = (text: string) =>
    `update pool_versions set previous_hash = '${text}' where pool_id = 'main' and number = 5`;
  const before = (await versions())[3]!.hash;
  assertEquals(await found(previous(hash), previous(before)), ["pools main version 5"]);
  const force = (at: number) =>
    `update pools set version_id = (select version_id from pool_versions where pool_id = 'main' and number = ${at})
      where pool_id = 'main'`;
  assertEquals(await found(force(4), force(5)), ["pools main version 4", "pools main version 5"]);
  assertEquals(await recountVersions(admin.database, { whole: true }), []);
});

test("replayVersions() gives each version once and in order, with its bars, across pages", async () => {
  // Each version from 2 on moves the bar to the place of its number.
  const last = 2_002;
  await byForce(
    admin.database,
    `insert into pool_versions (pool_id, number, previous_hash, kind, fine_micrograms, hash)
      select pool_id, n, hash, kind, fine_micrograms, hash
      from pool_versions, generate_series(2, ${last}) n where pool_id = 'second'`,
    `insert into pool_version_bars select pool_id, n, serial, is_listed, refiner, fineness_ten_thousandths,
      weight_micrograms, fine_micrograms, vault, n, documents
      from pool_version_bars, generate_series(2, ${last}) n where pool_id = 'second'`,
  );
  for (const from of [1, 3]) {
    let next = from;
    for await (const { number, version, bars } of replayVersions(sql, { poolId: "second", from })) {
      const places = bars.map(({ place }) => Number(place ?? 1));
      assertEquals([number, version?.number, ...places], [next, next, next]);
      next++;
    }
    assertEquals(next, last + 1, "the last version is there");
  }
});
