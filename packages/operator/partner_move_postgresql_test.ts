import { after, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { type CellDifference, compareCell } from "@sabika/service/mending";
import { MOVE_STEPS, type MoveStep } from "@sabika/service/moving";
import { readCellStatements, runAll, untilCopied } from "../../test/support/cell_statements.ts";
import { openMovingPartner } from "../../test/support/moving_partner.ts";

// (D53) A partner is moved between control's own cell and another database while it trades.

const moving = await openMovingPartner();
after(moving.close);
const { sabika, control, cell, answered, refused } = moving;

/** Compares the cell with control again and again, as a server does before it serves it. */
async function compareUntil(isOver: () => boolean): Promise<CellDifference[]> {
  const found: CellDifference[] = [];
  while (!isOver()) {
    found.push(
      ...await compareCell({
        control: control.app.sql,
        cell: cell.app.sql,
        cellId: "b",
        pause: (ms) => pause(ms),
      }),
    );
    await pause(20);
  }
  return found;
}

test("a partner is moved to a cell and back while it trades, and nothing is lost, refused or differs", async () => {
  let isOver = false;
  const compared = compareUntil(() => isOver);
  try {
    for (const to of ["b", "main"]) {
      const moved = await moving.whileTrading(4, async () => {
        const before = answered.length;
        while (answered.length < before + 20) {
          await moving.trade(() => answered.length >= before + 20);
        }
        return await sabika("partner", "move", "mover", "--to", to, "--yes");
      });
      assert(Number(moved["fenced_ms"]) > 0);
      assertEquals((await sabika("partner", "show", "mover"))["cell"], to);
      assertEquals(await moving.homes(), [to]);
      await moving.assertNothingLost();
    }
  } finally {
    isOver = true;
  }
  assertEquals(await compared, []);
  assertEquals(refused, []);
  const [entry] = await sabika<{ action: string; detail: unknown }[]>("audit", "list");
  assertEquals(entry!.action, "partner.move");
  const { data: listed } = await sabika<{ data: { id: string }[] }>(
    "order",
    "list",
    "--limit",
    "100",
  );
  assertEquals(new Set(listed.map(({ id }) => id)).size, listed.length);
});

test("an act on a partner is refused while it moves, and so is a move to its own or an unknown cell", async () => {
  await assertRejects(
    () => sabika("partner", "move", "mover", "--to", "main", "--yes"),
    Error,
    "already",
  );
  await assertRejects(
    () => sabika("partner", "move", "mover", "--to", "c", "--yes"),
    Error,
    "cell",
  );
  await control.database.sql`insert into partner_moves
    (move_id, partner_id, from_cell, to_cell, leave_act_id, enter_act_id)
    select gen_random_uuid(), ${moving.partnerId}, 'main', 'b', gen_random_uuid(), gen_random_uuid()`;
  await assertRejects(() => sabika("vault", "allocate", "mover", "1"), Error, "is being moved");
  const { moving: state } = await sabika("partner", "show", "mover");
  assertEquals({ ...state as object, since: "" }, { to: "b", step: "copying", since: "" });
  await assertRejects(
    () => sabika("partner", "move", "mover", "--to", "b", "--yes"),
    Error,
    "being moved",
  );
  await moving.resume();
  await moving.assertNothingLost();
  assertEquals(
    (await sabika("vault", "allocate", "mover", "1"))["allocation_grams"] !== null,
    true,
  );
});

/** Records a move to the other cell and stops it before a step; returns where it leads. */
async function breakOffBefore(step: MoveStep): Promise<{ from: string; to: string }> {
  const [from] = await moving.homes();
  const to = from === "main" ? "b" : "main";
  await control.database.sql`insert into partner_moves
    (move_id, partner_id, from_cell, to_cell, leave_act_id, enter_act_id)
    select gen_random_uuid(), ${moving.partnerId}, ${from!}, ${to}, gen_random_uuid(),
      gen_random_uuid()`;
  const error = await assertRejects(() =>
    moving.carryOut((now) => {
      if (now === step) throw new Error(`killed before ${step}`);
    })
  );
  assertStringIncludes((error as Error).message, `killed before ${step}`);
  return { from: from!, to };
}

test("a move that is broken off before any step goes on from there, and never has two homes (F84)", async () => {
  for (const [number, step] of MOVE_STEPS.entries()) {
    const { from, to } = await breakOffBefore(step);
    const homes = await moving.homes();
    assert(homes.length <= 1, `${number} ${step}: ${homes}`);
    const isSource = number <= MOVE_STEPS.indexOf("leave");
    if (isSource) assertEquals(homes, [from]);
    await moving.resume();
    assertEquals(await moving.homes(), [to], step);
  }
  await moving.assertNothingLost();
  const [left] = await cell.database.sql`select count(*)::int as lanes from webhook_lanes`;
  assertEquals(left!["lanes"], (await moving.homes())[0] === "b" ? 1 : 0);
});

test("copies that are made anew amid a move open no accounts, and the move goes on (F85)", async () => {
  for (const step of ["switch", "enter", "switch", "enter"] as const) {
    const { to } = await breakOffBefore(step);
    const homes = await moving.homes();
    await copyAnew();
    assertEquals(await moving.homes(), homes, step);
    await moving.resume();
    assertEquals(await moving.homes(), [to], step);
  }
  await moving.assertNothingLost();
});

/** Has the cell copy control's rows anew, as docs/scale.md says for after a promotion of control. */
async function copyAnew(): Promise<void> {
  const { sql } = cell.database;
  const [subscription] = await sql<{ connection: string }[]>`
    select subconninfo as connection from pg_subscription where subname = 'sabika_partners'`;
  const section = "### When control is promoted";
  const [, inCell] = await readCellStatements(section, subscription!);
  await runAll(sql, inCell!);
  await untilCopied(sql);
}
