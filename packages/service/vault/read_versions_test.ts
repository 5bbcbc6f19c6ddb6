import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { sha256Hex } from "@sabika/protocol";
import { openTestAdmin } from "../../../test/support/test_admin.ts";
import {
  addBar,
  findBar,
  findBarSerials,
  findVersion,
  listVersions,
  moveBar,
  readVersionText,
  recordCount,
  removeBar,
  replaceBars,
  searchBars,
} from "./mod.ts";

const admin = await openTestAdmin();
const { sql } = admin.database;
after(() => admin.close());

const bar = (serial: string) => ({
  serial,
  refiner: "R",
  finenessTenThousandths: 9_999,
  weightMicrograms: 1_000_000_000n,
  documents: ["5e".repeat(32)],
});

assert((await addBar(admin, bar("V_1"))).ok);
assert((await moveBar(admin, "V_1", "shelf 4")).ok);
const seen = { place: undefined, bars: [{ serial: "V_1" }], unexpected: [] };
assert((await recordCount(admin, seen)).ok);
const replaced = { serials: ["V_1"], bars: [bar("V-2"), bar("v-3")] };
assert((await replaceBars(admin, replaced)).ok);
assert((await removeBar(admin, "v-3")).ok);

test("a version says bar by bar what it changed, and its text hashes to its hash", async () => {
  const made = await listVersions(sql, { pool: "main", limit: 10 });
  assertEquals(made.map(({ number, kind, changedBars }) => [number, kind, changedBars]), [
    [4, "remove", 1],
    [3, "replace", 3],
    [2, "replace", 1],
    [1, "add", 1],
  ]);
  const older = await listVersions(sql, { pool: "main", before: 3, limit: 1 });
  assertEquals(older.map(({ number }) => number), [2]);
  const said = async (number: number) =>
    (await findVersion(sql, "main", number))!.changes.map(({ serial, before, after }) =>
      `${serial}: ${before && (before.place ?? "listed")} → ${after && (after.place ?? "listed")}`
    );
  assertEquals(await said(2), ["V_1: listed → shelf 4"]);
  assertEquals((await said(3)).toSorted(), [
    "V-2: null → listed",
    "V_1: shelf 4 → null",
    "v-3: null → listed",
  ]);
  for (const { number, hash } of made) {
    const text = await readVersionText(sql, "main", number);
    assertEquals(await sha256Hex(new TextEncoder().encode(text)), hash);
  }
  assertEquals(await findVersion(sql, "main", 5), undefined);
  assertEquals(await readVersionText(sql, "main", 5), undefined);
});

test("a bar that left still has its history and counts", async () => {
  const left = (await findBar(sql, "V_1"))!;
  assert(left.removedAtMs !== null);
  assertEquals(left.changes.map(({ number, isListed }) => [number, isListed]), [
    [3, false],
    [2, true],
    [1, true],
  ]);
  assertEquals(left.counts.map(({ finding }) => finding), ["found"]);
  assertEquals(await findBar(sql, "v-2"), undefined);
});

test("bars are found by a part of their serial, and by the whole in either case", async () => {
  const found = async (part: string, after?: string) =>
    (await searchBars(sql, { part, after, limit: 10 })).map(({ serial }) => serial);
  assertEquals(await found("v-"), ["V-2"]);
  assertEquals(await found("v-", "V-2"), []);
  assertEquals(await found("_"), []);
  assertEquals(await findBarSerials(sql, "v_1"), ["V_1"]);
});
