import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { admitPartner } from "@sabika/office/partners";
import { actAs } from "../../../test/support/acts.ts";
import { anAdmission, openTestAdmin } from "../../../test/support/test_admin.ts";
import { numbers } from "../../../test/support/quote_oracle.ts";
import { sized } from "../../../test/support/sized.ts";
import { openTestTrading } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { reconcile } from "../ledger/reconcile.ts";
import { addBar, removeBar } from "./bar_acts.ts";
import { listBars } from "./bars.ts";
import { readVaultReport } from "./report.ts";

const GRAM = 1_000_000n;
const bar = (serial: string, grams: bigint) => ({
  serial,
  refiner: "Refinery",
  finenessTenThousandths: 10_000,
  weightMicrograms: grams * GRAM,
});
const code = async (result: Promise<{ ok: boolean; code?: string }>) =>
  (await result).code ?? "done";

test("allocations never exceed the bars, even concurrently, and needed bars cannot be removed", async (t) => {
  const admin = await openTestAdmin();
  const { sql } = admin.database;
  const allocate = (partner: string, grams: string) =>
    actAs(admin, "vault.allocate", { partner, grams });
  const release = (grams: string) => actAs(admin, "vault.release", { partner: "bank-one", grams });
  t.after(() => admin.close());
  for (const id of ["bank-one", "bank-two"]) {
    assert((await admitPartner(admin, anAdmission(id, { withKeys: false }))).ok);
  }
  assertEquals(await code(allocate("bank-one", "1")), "insufficient_vault");
  assertEquals(await code(addBar(admin, bar("A1", 100n))), "done");
  assertEquals(await code(addBar(admin, bar("A1", 100n))), "already_exists");
  const results = await Promise.all(
    Array.from(
      { length: 12 },
      (_, i) => code(allocate(i % 2 ? "bank-one" : "bank-two", "10")),
    ),
  );
  assertEquals(results.filter((result) => result === "done").length, 10);
  assertEquals(results.filter((result) => result === "insufficient_vault").length, 2);
  assertEquals(await code(removeBar(admin, "A1")), "insufficient_vault");
  assertEquals(await code(addBar(admin, bar("B2", 100n))), "done");
  assertEquals(await code(removeBar(admin, "A1")), "done");
  assertEquals((await listBars(sql)).map(({ serial }) => serial), ["B2"]);
  assertEquals(await code(addBar(admin, bar("A1", 50n))), "done");
  assertEquals(await code(release("100")), "insufficient_allocation");
  assertEquals(await code(release("10")), "done");
  const report = await readVaultReport(sql);
  assertEquals(
    [report.barsMicrograms, report.promisedMicrograms, report.freeMicrograms],
    [150n * GRAM, 90n * GRAM, 60n * GRAM],
  );
  const [transfers] = await sql<{ n: number; sum: string }[]>`
      select count(*)::int as n, sum(case debit_account when 'vault' then amount else -amount end) as sum
      from transfers where asset = 'XAU'`;
  assertEquals([transfers?.n, BigInt(transfers?.sum ?? 0)], [11, 90n * GRAM]);
});

test("orders, allocations and bars at once never owe more than the fine gold (D94)", async (t) => {
  const admin = await openTestAdmin();
  const { database } = admin;
  t.after(() => admin.close());
  const next = numbers(9);
  const trading = await openTestTrading({ database }, 4_850_000n);
  const holds = { cashHalalas: 10n ** 12n, allocationMicrograms: 20n * GRAM };
  const banks = [
    await admitTestPartner(database, holds),
    await admitTestPartner(database, holds),
  ];
  const names = await database.sql<{ clientId: string }[]>`
      select client_id as "clientId" from partners order by partner_id`;
  const bars: string[] = [];
  const outcomes = new Map<string, number>();
  const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  const order = async (bank: typeof banks[0]) => {
    const side = next(0, 1) === 0 ? "buy" as const : "sell" as const;
    const quote = await trading.quote(
      bank.quote({ side, goldMicrograms: BigInt(next(1, 90)) * 100_000n }),
    );
    const { ok, ...rest } = quote.ok ? await trading.order(bank.order(quote.value.id)) : quote;
    count(ok ? side : "code" in rest ? String(rest.code) : side);
  };
  const allocate = async () => {
    const kind = next(0, 1) === 0 ? "allocate" as const : "release" as const;
    const input = { partner: names[next(0, 1)]!.clientId, grams: String(next(1, 40)) };
    count(await code(actAs(admin, `vault.${kind}`, input)));
  };
  const changeBars = async (round: number) => {
    const serial = next(0, 1) === 0 ? bars.shift() : undefined;
    if (serial !== undefined) {
      const outcome = await code(removeBar(admin, serial));
      if (outcome !== "done") bars.push(serial);
      return count(outcome);
    }
    const finenessTenThousandths = [9_950, 9_999, 9_160][next(0, 2)]!;
    const weightMicrograms = BigInt(next(1_000_000, 12_000_000));
    const made = { ...bar(`R${round}`, 0n), finenessTenThousandths, weightMicrograms };
    count(await code(addBar(admin, made)));
    bars.push(made.serial);
  };
  const owed = async () => {
    const [vault] = await database.sql`
        select allocated_micrograms <= bars_micrograms and allocated_micrograms = (
            select sum(gold_micrograms + allocation_micrograms) from accounts)
          and bars_micrograms = (select sum(fine_micrograms) from vault_bars where removed_at is null) as holds
        from vault`;
    assertEquals(vault, { holds: true });
  };
  for (let round = 0; round < sized(30, 10_000); round++) {
    await Promise.all([...banks.map(order), allocate(), changeBars(round), owed()]);
  }
  assertEquals((await reconcile(database)).length, 0);
  for (const outcome of ["buy", "done", "insufficient_vault"]) {
    assert(outcomes.has(outcome), JSON.stringify([...outcomes]));
  }
});

test("a bar counts for its fine weight, rounded down to the microgram (D94)", async (t) => {
  const admin = await openTestAdmin();
  t.after(() => admin.close());
  const next = numbers(94);
  const grosses = [1n, 3n, 31_103_477n, 12_441_390_720n, 19_999_999_999n]
    .concat(Array.from({ length: 15 }, () => BigInt(next(1, 2_000_000_000))));
  let fine = 0n;
  for (const finenessTenThousandths of [9_950, 9_999, 9_160]) {
    for (const weightMicrograms of grosses) {
      const serial = `F${finenessTenThousandths}-${weightMicrograms}`;
      const added = await addBar(admin, {
        ...bar(serial, 0n),
        finenessTenThousandths,
        weightMicrograms,
      });
      assert(added.ok);
      // The rest is another metal, rounded up.
      const other = weightMicrograms * BigInt(10_000 - finenessTenThousandths);
      const expected = weightMicrograms - (other + 9_999n) / 10_000n;
      assertEquals(added.value.fineMicrograms, expected, serial);
      fine += expected;
    }
  }
  const report = await readVaultReport(admin.database.sql);
  assertEquals([report.barsMicrograms, report.bars], [fine, 3 * grosses.length]);
  assertEquals(await code(removeBar(admin, "F9950-31103477")), "done");
  assertEquals((await reconcile(admin.database)).length, 0);
});

test("a bar of lower fineness, without weight or without serial is refused", async (t) => {
  const admin = await openTestAdmin();
  t.after(() => admin.close());
  const good = bar("A1", 1n);
  const mistakes = [
    { ...good, finenessTenThousandths: 9_159 },
    { ...good, weightMicrograms: 0n },
    { ...good, weightMicrograms: 30_000n * GRAM },
    { ...good, serial: "" },
    { ...good, refiner: " " },
  ];
  for (const bad of mistakes) assertEquals(await code(addBar(admin, bad)), "invalid_amount");
  assertEquals(await code(removeBar(admin, "A1")), "not_found");
  assertEquals((await readVaultReport(admin.database.sql)).barsMicrograms, 0n);
});
