import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { admitPartner } from "@sabika/office/partners";
import { actAs } from "../../../test/support/acts.ts";
import { anAdmission, openTestAdmin } from "../../../test/support/test_admin.ts";
import { addBar, listBars, removeBar } from "./bars.ts";
import { readVaultReport } from "./report.ts";

const GRAM = 1_000_000n;
const bar = (serial: string, grams: bigint) => ({
  serial,
  refiner: "Refinery",
  finenessTenThousandths: 9_999,
  weightMicrograms: grams * GRAM,
});
const code = async (result: Promise<{ ok: boolean; code?: string }>) =>
  (await result).code ?? "done";

test("allocations never exceed the bars, even concurrently, and needed bars cannot be removed", async () => {
  const admin = await openTestAdmin();
  const { sql } = admin.database;
  const allocate = (partner: string, grams: string) =>
    actAs(admin, "vault.allocate", { partner, grams });
  const release = (grams: string) => actAs(admin, "vault.release", { partner: "bank-one", grams });
  try {
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
  } finally {
    await admin.close();
  }
});

test("concurrent allocations and releases do not deadlock", async () => {
  const admin = await openTestAdmin();
  const move = (kind: "allocate" | "release", partner: string) =>
    code(actAs(admin, `vault.${kind}`, { partner, grams: "1" }));
  try {
    assertEquals(await code(addBar(admin, bar("A1", 100n))), "done");
    for (const id of ["bank-one", "bank-two"]) {
      assert((await admitPartner(admin, anAdmission(id, { withKeys: false }))).ok);
      assert((await actAs(admin, "vault.allocate", { partner: id, grams: "20" })).ok);
    }
    const results = await Promise.all(
      Array.from({ length: 10 }, () => [move("release", "bank-one"), move("allocate", "bank-two")])
        .flat(),
    );
    assertEquals(results, results.map(() => "done"));
    assertEquals((await readVaultReport(admin.database.sql)).promisedMicrograms, 40n * GRAM);
  } finally {
    await admin.close();
  }
});

test("a bar of lower fineness, without weight or without serial is refused", async () => {
  const admin = await openTestAdmin();
  try {
    const good = bar("A1", 1n);
    for (
      const bad of [
        { ...good, finenessTenThousandths: 9_950 },
        { ...good, weightMicrograms: 0n },
        { ...good, weightMicrograms: 30_000n * GRAM },
        { ...good, serial: "" },
        { ...good, refiner: " " },
      ]
    ) assertEquals(await code(addBar(admin, bad)), "invalid_amount");
    assertEquals(await code(removeBar(admin, "A1")), "not_found");
    assertEquals((await readVaultReport(admin.database.sql)).barsMicrograms, 0n);
  } finally {
    await admin.close();
  }
});
