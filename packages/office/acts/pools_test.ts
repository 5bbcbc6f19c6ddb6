import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import { actAs, codeOf } from "../../../test/support/acts.ts";
import { openTestBank } from "../../../test/support/test_admin.ts";
import { reconcile } from "@sabika/service/ledger";
import { listPools, readListedBars, readVersionInForce } from "@sabika/service/vault";

const { admin } = await openTestBank();
after(() => admin.close());

/** Performs an act; returns why it was refused, or `done`. */
const act = async (name: string, input: object) =>
  codeOf(await actAs(admin, name as "vault.bar.remove", input as { serial: string }));
const bar = (serial: string, weight_grams: string) => ({
  serial,
  refiner: "R",
  fineness: "999.9",
  weight_grams,
});
const inForce = async (pool = "main") => {
  const version = (await readVersionInForce(admin.database.sql, pool))!;
  const bars = await readListedBars(admin.database.sql, version);
  return `${version.number} ${version.kind}: ${bars.map(({ serial }) => serial).join(" ")}`;
};

test("several hundred bars come in by one act, one version; one that is wrong stops all", async () => {
  const bars = Array.from({ length: 300 }, (_, n) => bar(`L-${String(n).padStart(3, "0")}`, "1"));
  assertEquals(await act("vault.bars.add", { bars: [...bars, bars[7]] }), "invalid_amount");
  assertEquals(await act("vault.bars.add", { bars: [...bars, bar("L-X", "0")] }), "invalid_amount");
  assertEquals(await act("vault.bars.add", { bars }), "done");
  const [pool] = await listPools(admin.database.sql);
  assertEquals(
    [pool!.poolId, pool!.version, pool!.bars, pool!.fineMicrograms, pool!.freeMicrograms],
    ["main", 1, 300, 299_970_000n, 299_970_000n],
  );
  assertEquals(await act("vault.bars.add", { bars: [bar("L-000", "1")] }), "already_exists");
});

test("bars are replaced in one version by others with as much fine gold or more", async () => {
  const serials = Array.from({ length: 300 }, (_, n) => `L-${String(n).padStart(3, "0")}`);
  const replace = (serials: readonly string[], bars: readonly object[]) =>
    act("vault.bar.replace", { serials, bars });
  assertEquals(await act("vault.allocate", { partner: "bank-one", grams: "299.97" }), "done");
  assertEquals(await replace(serials, [bar("K-1", "299.999999")]), "insufficient_vault");
  assertEquals(await replace(["L-000"], [bar("L-000", "2")]), "invalid_amount");
  assertEquals(await replace(["L-000", "L-999"], [bar("K-1", "2")]), "not_found");
  assertEquals(await replace(serials, [bar("K-1", "200"), bar("K-2", "100.5")]), "done");
  assertEquals(await inForce(), "2 replace: K-1 K-2");
  assertEquals(await reconcile(admin.database), []);
});

test("a bar that is encumbered does not count, and cannot be what backs allocations", async () => {
  const encumber = (serial: string) => act("vault.bar.encumber", { serial, reason: "pledged" });
  assertEquals(await encumber("K-2"), "insufficient_vault");
  assertEquals(await act("vault.bar.add", bar("K-3", "100")), "done");
  assertEquals(await encumber("K-3"), "done");
  assertEquals(await encumber("K-3"), "invalid_state");
  assertEquals(await inForce(), "4 remove: K-1 K-2");
  // It lies somewhere all the same, and no list changes with it.
  assertEquals(await act("vault.bar.move", { serial: "K-3", place: "Shelf 9" }), "done");
  assertEquals(await inForce(), "4 remove: K-1 K-2");
  assertEquals(
    await act("vault.bar.replace", { serials: ["K-3"], bars: [bar("K-4", "100")] }),
    "invalid_state",
  );
  assertEquals(await act("vault.bar.release", { serial: "K-3" }), "done");
  assertEquals(await act("vault.bar.release", { serial: "K-3" }), "invalid_state");
  assertEquals(await inForce(), "5 add: K-1 K-2 K-3");
  assertEquals(await encumber("K-3"), "done");
  assertEquals(await act("vault.bar.remove", { serial: "K-3" }), "done");
  assertEquals(await inForce(), "6 remove: K-1 K-2");
  assertEquals(await reconcile(admin.database), []);
});

test("a partner draws on one pool, and on another once it has nothing of the first", async () => {
  const set = (pool: string) => act("partner.pool.set", { partner: "bank-one", pool });
  assertEquals(await act("pool.create", { pool: "Second!" }), "invalid_setting");
  assertEquals(await act("pool.create", { pool: "second" }), "done");
  assertEquals(await act("pool.create", { pool: "second" }), "already_exists");
  assertEquals(await act("vault.bar.add", { ...bar("S-1", "50"), pool: "third" }), "not_found");
  assertEquals(await act("vault.bar.add", { ...bar("S-1", "50"), pool: "second" }), "done");
  assertEquals(await inForce("second"), "1 add: S-1");
  assertEquals([await set("main"), await set("third"), await set("second")], [
    "invalid_state",
    "not_found",
    "invalid_state",
  ]);
  assertEquals(await act("vault.release", { partner: "bank-one", grams: "299.97" }), "done");
  assertEquals(await set("second"), "done");
  assertEquals(
    await act("vault.allocate", { partner: "bank-one", grams: "50" }),
    "insufficient_vault",
  );
  assertEquals(await act("vault.allocate", { partner: "bank-one", grams: "49" }), "done");
  assertEquals(await act("vault.release", { partner: "bank-one", grams: "9" }), "done");
  const pools = await listPools(admin.database.sql);
  assertEquals(pools.map(({ poolId, freeMicrograms }) => `${poolId} ${freeMicrograms}`), [
    "main 300469950",
    "second 9995000",
  ]);
  const [own] = await admin.database.sql`select pool_number from accounts`;
  assertEquals(own, { pool_number: 2 });
  assertEquals(await reconcile(admin.database), []);
});
