/** F85: control's standby is promoted, and a cell's replication continues after the steps of docs/scale.md. */
import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { openDatabase } from "@sabika/database";
import { copyToCell } from "@sabika/service/cells";
import { addCell } from "@sabika/service/moving";
import { migrate } from "@sabika/service/schema";
import { runPostgreSQL } from "../../tools/programs/run_postgresql.ts";
import { admitWithGold } from "../support/service_partner.ts";
import { until } from "../support/until.ts";
import { readCellStatements, runAll } from "../support/cell_statements.ts";
import { crash } from "./postgresql_processes.ts";
import { openWorld, type World } from "./world.ts";

const PATIENCE_MS = 60_000;

const settings = { wal_retrieve_retry_interval: "100ms" };
const server = await runPostgreSQL({ durable: false, settings });
const cell = openDatabase(server.url, { maxConnections: 1 });
after(async () => {
  await cell.close();
  await server.stop();
});

/** Returns the connection string by which a cell reaches control, whichever server is the primary. */
function connectionTo({ postgresql, standby }: World): string {
  const servers = [postgresql, standby!.postgresql];
  return `host=${servers.map(({ socketFolder }) => socketFolder).join()} ` +
    `port=${servers.map(({ port }) => port).join()} user=sabika_copies dbname=postgres ` +
    "target_session_attrs=read-write";
}

test("after control's promotion a cell is refused until its replication continues (F85)", async (t) => {
  await migrate(cell);
  const world = await openWorld({ instances: 1, standby: true, cellUrl: server.url });
  t.after(() => world.close());
  const { admin, database, postgresql, standby } = world;
  const connection = connectionTo(world);
  const section = "### When control is promoted";
  const [inControl, inCell] = await readCellStatements(section, { connection });
  await copyToCell({
    cellId: "b",
    control: database.sql,
    database: "postgres",
    cell: cell.sql,
    connection,
  });
  assert((await addCell(admin, "b", cell)).ok);

  const [instance] = world.instances;
  let readUpTo = 0;
  const untilLogged = async (...words: string[]) => {
    await until(() => {
      const lines = instance!.output().slice(readUpTo).split("\n");
      return lines.some((line) => words.every((word) => line.includes(word)));
    }, PATIENCE_MS);
    readUpTo = instance!.output().length;
  };
  const copied = async (clientId: string) =>
    (await cell.sql`select from partners join accounts using (partner_id)
        where client_id = ${clientId}`).length === 1;
  await untilLogged("cell_open");
  await admitWithGold(admin, "early", 0n, { cell: "b" });
  await until(() => copied("early"), PATIENCE_MS);

  await crash(postgresql);
  await standby!.promote();
  await untilLogged("cell_away", 'no longer keeps the slot \\"sabika_b\\"');
  await until(() => database.sql`select 1`.then(() => true, () => false), PATIENCE_MS);
  await admitWithGold(admin, "late", 0n, { cell: "b" });

  await runAll(database.sql, inControl!);
  await untilLogged("cell_away", "it differs from what control knows");
  assertEquals(await copied("late"), false);

  await runAll(cell.sql, inCell!);
  await untilLogged("cell_open");
  assertEquals([await copied("early"), await copied("late")], [true, true]);
  await admitWithGold(admin, "later", 0n, { cell: "b" });
  await until(() => copied("later"), PATIENCE_MS);
});
