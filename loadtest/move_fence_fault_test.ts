/** For how long a partner's orders wait when it is moved, by how many it has made (Decision D53). */
import { after, test } from "node:test";
import { assert } from "@std/assert";
import { openTestCells } from "../test/support/test_cells.ts";
import { sized } from "../test/support/sized.ts";
import { fill } from "./bench/world/fill.ts";
import { givePlenty } from "./bench/world/give_plenty.ts";

const FEW = sized(200, 20_000);
const TIMES = 10;
const ROUNDS = sized(1, 3);
/** Of a partner ten times as large, that is; where its rows are looked at under the fence it is ten. */
const MOST = 3;
/** What takes less is the turns of the machine. */
const SHORT_MS = 50;

const cells = await openTestCells();
after(cells.close);
const { control, sabika } = cells;

async function admit(clientId: string, orders: number): Promise<void> {
  await sabika(
    ...["partner", "create", "--client-id", clientId, "--name", clientId, "--with-keys"],
    ...["--iban", "SA0380000000608010167519", "--webhook-url", "https://127.0.0.1:1024/"],
  );
  const { sql } = control.database;
  const [partner] = await sql<{ id: number }[]>`
    select partner_id as id from partners where client_id = ${clientId}`;
  const past = { partnerId: partner!.id, orders };
  await givePlenty(control.database);
  await fill(sql, [past], Math.floor(Date.now() / 1000), () => {});
}

test("a partner with ten times the orders keeps them waiting hardly longer when it moves", async (t) => {
  await admit("small", FEW);
  await admit("large", FEW * TIMES);
  const fenced: Record<"small" | "large", number[]> = { small: [], large: [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const to of ["b", "main"]) {
      for (const partner of ["small", "large"] as const) {
        const moved = await sabika("partner", "move", partner, "--to", to, "--yes");
        fenced[partner].push(Number(moved["fenced_ms"]));
      }
    }
  }
  // Beside other work the shortest says what the move takes.
  const [small, large] = [Math.min(...fenced.small), Math.min(...fenced.large)];
  t.diagnostic(
    `${FEW} and ${FEW * TIMES} orders: ${small} and ${large} ms, ` +
      `${(large / small).toFixed(2)} times; all: ${JSON.stringify(fenced)}`,
  );
  assert(large <= MOST * Math.max(small, SHORT_MS), `${large} ms after ${small}`);
});
