import { after, test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { byForce } from "../../../test/support/by_force.ts";
import { openMovingPartner } from "../../../test/support/moving_partner.ts";
import { digestKeys } from "../idempotency/mod.ts";
import { TABLES } from "./copy_rows.ts";
import { findOpenMove, HeldElsewhere, holdMoves, listOpenMoves } from "./mod.ts";

// (D114) Moves are gone on with by one process at a time.

const moving = await openMovingPartner();
after(moving.close);
const { control, cell, partnerId, place } = moving;

// The partner's orders are old: their keys were digested where they were made (D29).
await moving.trade(() => moving.answered.length === 3);
await control.database.sql`update accounts set last_key = last_key + 250000`;
assertEquals(await digestKeys(control.app), 16);

/** Records a move to the other cell. */
async function record(): Promise<string> {
  const [from] = await moving.homes();
  const to = from === "main" ? "b" : "main";
  await control.database.sql`insert into partner_moves
    (move_id, partner_id, from_cell, to_cell, leave_act_id, enter_act_id)
    select gen_random_uuid(), ${partnerId}, ${from!}, ${to}, gen_random_uuid(), gen_random_uuid()`;
  return to;
}

/** Cuts the sessions that hold moves. */
async function cutMovers(): Promise<void> {
  for (const { database: { sql } } of [control, cell]) {
    await sql`select pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and classid = 7323`;
  }
}

test("a mover that lives is not disturbed, and nobody else writes meanwhile", async () => {
  const to = await record();
  const keeper = moving.createKeeper();
  const looked: unknown[] = [];
  await moving.carryOut(async (step) => {
    if (step !== "fence") return;
    await keeper.look();
    looked.push(...await listOpenMoves(control.app.sql));
    await assertRejects(() => holdMoves(place, partnerId), HeldElsewhere);
    const writes = [
      control.database.sql`update partner_moves set step = 'fencing' where ended_at is null`,
      cell.database.sql`select receive_rows(${partnerId}::integer, 'orders', '{}')`,
    ];
    for (const write of writes) await assertRejects(() => write.execute(), Error, "somebody else");
  });
  await keeper.stop();
  assertEquals(await moving.homes(), [to]);
  const [move] = looked as Awaited<ReturnType<typeof listOpenMoves>>;
  assertEquals([move!.clientId, move!.isHeld, looked.length], ["mover", true, 1]);
  assertEquals(moving.failures, []);
});

test("of two offices one goes on with a move, and a mover that lost its sessions does no harm", async () => {
  for (const lostBefore of ["copy", "leave", "switch", "enter", "end"] as const) {
    const to = await record();
    await assertRejects(() =>
      moving.carryOut(async (step) => {
        if (step !== lostBefore) return;
        await cutMovers();
        await Promise.all([moving.resume(), moving.resume()]);
        assertEquals(await findOpenMove(control.database.sql, partnerId), undefined);
      })
    );
    assertEquals(await moving.homes(), [to], lostBefore);
  }
  assertEquals(moving.failures, []);
  await moving.assertNothingLost();
});

test("a move goes on although its target was restored to before it awaited the partner", async () => {
  for (const stoppedBefore of ["switch", "enter"] as const) {
    assertEquals(await record(), "b");
    await assertRejects(() =>
      moving.carryOut((step) => {
        if (step === stoppedBefore) throw new Error("the mover dies");
      })
    );
    const own = TABLES.map((table) => `delete from ${table} where partner_id = ${partnerId}`);
    await byForce(cell.database, "delete from move_ends where side = 'awaited'", ...own);
    await moving.resume();
    assertEquals(await moving.homes(), ["b"], stoppedBefore);
    await moving.assertNothingLost();
    await record();
    await moving.carryOut(() => {});
  }
  assertEquals(moving.failures, []);
});
