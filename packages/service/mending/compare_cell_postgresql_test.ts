import { after, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { join } from "node:path";
import { assertEquals, assertMatch } from "@std/assert";
import { runOperator } from "../../../test/support/run_operator.ts";
import { openTestCells } from "../../../test/support/test_cells.ts";
import { until } from "../../../test/support/until.ts";
import { random } from "../../../test/support/random.ts";
import { compareCell, summariseDifferences } from "./compare_cell.ts";
import { mendCell } from "./mend_cell.ts";
import { uuidV7 } from "@sabika/protocol";
import { commandLine } from "../../../tools/programs/command_line.ts";

const { control, cell, sabika, env, close } = await openTestCells();
after(close);

let looks = 0;
/** Compares with a server's role, as a server does, but with shorter pauses. */
async function compare(): Promise<string[]> {
  looks = 0;
  const found = await compareCell({
    control: control.app.sql,
    cell: cell.app.sql,
    cellId: "b",
    pause: (ms) => (looks += 1, pause(Math.min(ms, 400))),
  });
  return found.map(({ kind, clientId, name }) =>
    [kind, clientId, name].filter((word) => word).join(" ")
  )
    .sort();
}

/** Changes the cell's rows without triggers, as a restore to an earlier time would. */
async function unmade(statement: string): Promise<void> {
  await cell.database.sql.begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    await sql.unsafe(statement);
  });
}

/** Admits a partner by the operator's command, and returns its number. */
async function admit(name: string, cellId: string): Promise<number> {
  await sabika(
    ...commandLine`partner create --client-id ${name} --name ${name} --cell ${cellId}
      --iban SA0380000000608010167519 --webhook-url https://127.0.0.1:1024/ --with-keys
      --out ${join(env["SABIKA_DATA"]!, name)}`,
  );
  const [row] = await control.database.sql<{ id: number }[]>`
    select partner_id as id from partners where client_id = ${name}`;
  return row!.id;
}

test("a cell agrees with control while an act and a move are in progress, and tallies suffice", async () => {
  const [settled] = [await admit("settled", "b"), await admit("other", "main")];
  await sabika(
    ...commandLine`vault bar add SA-1 --refiner R --fineness 999.9 --weight 10000`,
  );
  await sabika("vault", "allocate", "settled", "10");
  await sabika("funding", "credit", "settled", "100", "--reference", "FT-1");
  assertEquals(await compare(), []);
  assertEquals(looks, 0);
  assertEquals((await sabika("cell", "compare", "b"))["ok"], true);

  // An act whose result control does not have, and a move in progress.
  const [open, moveId] = [uuidV7(Date.now(), random), uuidV7(Date.now(), random)];
  await control.database.sql`insert into cell_acts (act_id, cell_id, partner_id, name, subject_id)
    values (${open}, 'b', ${settled}, 'webhook.enable', ${open})`;
  await cell.database.sql`insert into booked_acts values (${settled}, ${open}, 'booked', now())`;
  await control.database.sql`insert into partner_moves
    (move_id, partner_id, from_cell, to_cell, leave_act_id, enter_act_id)
    values (${moveId}, ${settled}, 'b', 'main', ${moveId}, ${moveId})`;
  await unmade("delete from accounts");
  assertEquals(await compare(), []);
  await control.database.sql`select finish_act(${open}, 'booked')`;
  await control.database.sql`update partner_moves set step = 'cancelled', ended_at = now()`;
  assertEquals(await compare(), ["missing settled"]);
  await unmade(`insert into accounts (partner_id) values (${settled})`);
  assertEquals(await compare(), []);
});

test("a pool or a price's setting of before is a difference, and a new copy takes its pool to the accounts", async () => {
  const accountsPool = async () => {
    const [row] = await cell.database.sql<{ pool: number }[]>`
      select a.pool_number::int as pool from accounts a join partners using (partner_id) where client_id = 'settled'`;
    return row!.pool;
  };
  await sabika("pool", "create", "second");
  await sabika("partner", "pool", "set", "settled", "second");
  await until(async () => await accountsPool() === 2);
  assertEquals(await compare(), []);
  // As in a cell that was restored.
  await unmade("update partners set pool_number = null where client_id = 'settled'");
  assertEquals(await compare(), ["copy settled"]);
  await unmade("update partners set pool_number = 2 where client_id = 'settled'");
  await unmade("update accounts set pool_number = 1");
  assertEquals(await compare(), ["copy settled"]);
  await unmade(
    `create temp table copies on commit drop as select * from partners where client_id = 'settled';
    delete from partners where client_id = 'settled';
    insert into partners overriding system value select * from copies`,
  );
  assertEquals(await accountsPool(), 2);

  // So does a partner that comes again as it left its previous cell.
  const moveId = uuidV7(Date.now(), random);
  await unmade(`update accounts set pool_number = 1;
    insert into move_ends (move_id, partner_id, side, accounts, lane)
    select '${moveId}', partner_id, 'awaited', a::text, l::text from accounts a join webhook_lanes l using (partner_id);
    delete from webhook_lanes;
    delete from accounts`);
  await cell.database.sql`select enter_cell(${moveId}::uuid, partner_id, null) from partners
    where client_id = 'settled'`;
  assertEquals(await accountsPool(), 2);
  await unmade(`delete from move_ends where move_id = '${moveId}'`);

  await unmade("update pools set version_id = null where pool_id = 'main'");
  await unmade("update price_settings set paused = not paused");
  assertEquals(await compare(), ["copy pools", "copy price_settings"]);
  await unmade(
    "update pools set version_id = (select version_id from pool_versions) where pool_id = 'main'",
  );
  await unmade("update price_settings set paused = not paused");
});

test("missing and differing rows of a cell are named by their kind", async () => {
  const found = await cell.database.sql<{ id: string }[]>`select act_id as id from cell_acts
    where name = 'funding.credit'`;
  await unmade(`delete from booked_acts where act_id = '${found[0]!.id}'`);
  await unmade(
    "insert into accounts (partner_id) select partner_id from partners on conflict do nothing",
  );
  assertEquals(await compare(), ["act settled funding.credit", "elsewhere other"]);
});

test("a row that was copied wrongly and a move that is missing are differences", async () => {
  await unmade("update partners set status = 'suspended' where client_id = 'settled'");
  const moveId = uuidV7(Date.now(), random);
  await control.database.sql`insert into partner_moves
    (move_id, partner_id, from_cell, to_cell, leave_act_id, enter_act_id, step, ended_at)
    select ${moveId}, partner_id, 'b', 'main', ${moveId}, ${moveId}, 'done', now() from partners
    where client_id = 'other'`;
  assertEquals(await compare(), [
    "act settled funding.credit",
    "copy settled",
    "elsewhere other",
    "move other left",
  ]);
  const shown = await runOperator(["cell", "compare", "b", "--json"], env);
  assertEquals(shown.code, 1, shown.stderr);
  const { differences } = JSON.parse(shown.stdout) as { differences: { kind: string }[] };
  assertEquals(differences.map(({ kind }) => kind).sort(), ["act", "copy", "elsewhere", "move"]);
  const all = await compareCell({
    control: control.app.sql,
    cell: cell.app.sql,
    cellId: "b",
    pause: () => Promise.resolve(),
  });
  assertMatch(summariseDifferences(all), /^1 partner\(s\) at home here .*1 row\(s\) of control/);
});

test("a mended cell has booked missing acts once, and has no accounts of partners of other cells", async () => {
  const unmended = await runOperator(["cell", "mend", "b", "--yes"], env);
  assertEquals(unmended.code, 1);
  assertMatch(unmended.stderr, /make its subscription anew first/);

  await unmade("update partners set status = 'active' where client_id = 'settled'");
  await unmade(
    "insert into webhook_lanes (partner_id) select partner_id from accounts on conflict do nothing",
  );
  const cash = async () => {
    const [row] = await cell.database.sql<{ cash: bigint }[]>`
      select cash_halalas as cash from accounts join partners using (partner_id)
      where client_id = 'settled'`;
    return row!.cash;
  };
  for (const table of ["fundings", "transfers", "events"]) await unmade(`delete from ${table}`);
  const before = await cash();
  const differences = await compareCell({
    control: control.database.sql,
    cell: cell.database.sql,
    cellId: "b",
    pause: () => Promise.resolve(),
  });
  const mend = () =>
    mendCell({
      control: control.database,
      cell: cell.database,
      cellId: "b",
      random,
      now: Date.now,
      databaseOf: () => Promise.resolve(control.database),
    }, differences);
  const done = (await mend()).map(({ clientId, name, outcome }) =>
    `${clientId} ${name} ${outcome}`
  );
  assertEquals(done.sort(), ["other left removed", "settled funding.credit booked"]);
  assertEquals(await cash(), before + 100_00n);
  // It may be run again, as after an interruption.
  await mend();
  assertEquals(await cash(), before + 100_00n);
  assertEquals(await compare(), []);
  assertEquals((await sabika("cell", "mend", "b", "--yes"))["mended"], []);
});
