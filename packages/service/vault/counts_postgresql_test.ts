import { after, test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { actAs } from "../../../test/support/acts.ts";
import { byForce } from "../../../test/support/by_force.ts";
import { openTestAdmin } from "../../../test/support/test_admin.ts";
import { inspectCount, registerOutsider, signCount } from "../../../test/support/test_outsider.ts";
import { untilWaiting } from "../../../test/support/until_waiting.ts";
import { addBar } from "./bar_acts.ts";
import { changeAllocated, findCount, listOpenDifferences, lockVault } from "./mod.ts";

const admin = await openTestAdmin();
const { sql } = admin.database;
after(() => admin.close());

test("an allocation that waits for a count sees what the count found", async () => {
  const bar = { refiner: "R", finenessTenThousandths: 9_999, weightMicrograms: 5_000_000n };
  assert((await addBar(admin, { serial: "C-1", ...bar })).ok);
  const allocate = () => sql.begin((other) => changeAllocated(other, "main", 1_000_000n));
  assert(await allocate());
  const refused = await sql.begin(async (tx) => {
    await tx`select from vault for no key update`;
    const refused = assertRejects(allocate, Error, "a difference that is open");
    await untilWaiting(admin.database);
    const id = crypto.randomUUID();
    await tx`insert into vault_count_lines (count_id, serial, is_seen, refiner, fineness_ten_thousandths,
      weight_micrograms) select ${id}, serial, false, refiner, fineness_ten_thousandths, weight_micrograms
      from vault_bars`;
    await tx`insert into vault_counts (count_id, counted_at, counted_by) values (${id}, now(), 'amal')`;
    return { done: refused };
  });
  await refused.done;
  // A count by one person, who finds all of it, ends while an allocation waits for it: that is refused all the same.
  admin.clock.nowMs += 60_000;
  const alone = await sql.begin(async (tx) => {
    await lockVault(tx);
    const alone = assertRejects(allocate, Error, "a difference that is open");
    await untilWaiting(admin.database);
    const counted = await actAs({ ...admin, transaction: tx }, "vault.count", { bars: ["C-1"] });
    assert(counted.ok);
    return { done: alone, countId: counted.value.countId };
  });
  await alone.done;
  // Once an inspector has signed that count, the one that waited goes on.
  const signed = await sql.begin(async (tx) => {
    await lockVault(tx);
    const waiting = allocate();
    await untilWaiting(admin.database);
    await inspectCount({ ...admin, transaction: tx }, alone.countId);
    return { done: waiting };
  });
  assert(await signed.done);
});

test("of two who enter a signature at once one does, and a key that is being ended signs no more", async () => {
  admin.clock.nowMs += 60_000;
  const counted = await actAs(admin, "vault.count", { bars: ["C-1"] });
  const next = await actAs(admin, "vault.count", { bars: ["C-1"] });
  assert(counted.ok && next.ok);
  const inspector = await registerOutsider(admin, "inspector");
  const inspect = async (count: string) => {
    const { text } = (await findCount(sql, count))!;
    const signature = await signCount(text!, inspector);
    const outcome = await actAs(admin, "vault.count.inspect", { count, signature });
    return outcome.ok ? "done" : outcome.detail;
  };
  const { countId } = counted.value;
  const both = await Promise.all([inspect(countId), inspect(countId)]);
  assertEquals(both.sort(), [`an inspector signed the count ${countId} before`, "done"]);
  const late = await sql.begin(async (tx) => {
    const key = inspector.keyId;
    assert((await actAs({ ...admin, transaction: tx }, "attestation-key.end", { key })).ok);
    const late = inspect(next.value.countId);
    await untilWaiting(admin.database);
    return { done: late };
  });
  assertEquals(await late.done, "the key that signed the count has ended");
});

test("a count from before inspectors goes on settling what it settled", async () => {
  const count = async (bars: string[]) => {
    admin.clock.nowMs += 60_000;
    const counted = await actAs(admin, "vault.count", { bars });
    assert(counted.ok);
    return counted.value.countId;
  };
  await count([]);
  const later = await count(["C-1"]);
  assertEquals((await listOpenDifferences(sql)).length, 1);
  await byForce(
    admin.database,
    `update vault_counts set needs_inspector = null where count_id = '${later}'`,
  );
  assertEquals((await listOpenDifferences(sql)).length, 0);
});

test("the rows of the pools are locked in one order, wherever they lie", async () => {
  assert((await actAs(admin, "pool.create", { pool: "zz-second" })).ok);
  // The row of `main` lies behind the other from now on.
  await sql`update vault set bars_micrograms = bars_micrograms where pool_id = 'main'`;
  const waiting = await sql.begin(async (tx) => {
    await tx`select from vault where pool_id = 'main' for no key update`;
    const waiting = sql.begin(lockVault);
    await untilWaiting(admin.database);
    await tx`select from vault where pool_id = 'zz-second' for no key update nowait`;
    return { done: waiting };
  });
  await waiting.done;
});
