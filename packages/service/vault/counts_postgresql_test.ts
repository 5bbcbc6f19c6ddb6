import { after, test } from "node:test";
import { assert, assertRejects } from "@std/assert";
import { openTestAdmin } from "../../../test/support/test_admin.ts";
import { addBar } from "./bar_acts.ts";
import { changeAllocated } from "./mod.ts";

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
    let isWaiting = false;
    while (!isWaiting) {
      const rows = await sql`select from pg_locks where not granted limit 1`;
      isWaiting = rows.length > 0;
    }
    const id = crypto.randomUUID();
    await tx`insert into vault_count_lines (count_id, serial, is_seen, refiner, fineness_ten_thousandths,
      weight_micrograms) select ${id}, serial, false, refiner, fineness_ten_thousandths, weight_micrograms
      from vault_bars`;
    await tx`insert into vault_counts (count_id, counted_at, counted_by) values (${id}, now(), 'amal')`;
    return { done: refused };
  });
  await refused.done;
});
