import { type Violation, withoutCalls } from "../support/history/checker.ts";
import { readSnapshot, type Snapshot } from "../support/history/snapshot.ts";
import { type Place, placesOf } from "./places.ts";
import type { StackWorld } from "./stack_world.ts";

/** A partner, and the database that is its home according to control. */
interface Resident {
  readonly partner: number;
  readonly place: Place;
}

/**
 * Queries every database that is the home of partners, and returns all rows.
 *
 * @param ask is called with a database and the partners whose home it is
 */
export async function askHomes<T>(
  world: StackWorld,
  ask: (place: Place, partners: readonly number[]) => Promise<readonly T[]>,
): Promise<T[]> {
  const residents = await findResidents(world);
  const answers: (readonly T[])[] = [];
  for (const place of placesOf(world)) {
    const partners = residents.filter((resident) => resident.place === place).map(({ partner }) =>
      partner
    );
    if (partners.length > 0) answers.push(await ask(place, partners));
  }
  return answers.flat() as T[];
}

/**
 * Reads the tables of all partners, each in one snapshot of its home database, and checks that a partner has
 * accounts only there (I4) and that control has allocated exactly the gold in all accounts (I1).
 */
export async function readBooks(
  world: StackWorld,
): Promise<{ tables: Snapshot; violations: Violation[] }> {
  const snapshots = await askHomes(
    world,
    async ({ database }, partners) => [await readSnapshot(database.sql, partners)],
  );
  const [first] = snapshots;
  const tables = Object.keys(first!) as (keyof Snapshot)[];
  return {
    tables: Object.fromEntries(
      tables.map((table) => [table, snapshots.flatMap((snapshot) => snapshot[table] as unknown[])]),
    ) as unknown as Snapshot,
    violations: world.cells.length === 0 ? [] : await checkHomes(world),
  };
}

async function findResidents(world: StackWorld): Promise<Resident[]> {
  const rows = await world.control.database.sql<{ partner: number; cell: string }[]>`
    select partner_id as partner, cell_id as cell from partners
    where partner_id = any (${`{${[...world.homes.keys()].join()}}`}::integer[])`;
  const places = new Map(placesOf(world).map((place) => [place.name, place]));
  return rows.map(({ partner, cell }) => ({ partner, place: places.get(cell)! }));
}

async function checkHomes(world: StackWorld): Promise<Violation[]> {
  const found: Violation[] = [];
  const homes = new Map(
    (await findResidents(world)).map(({ partner, place }) => [partner, place.name]),
  );
  let gold = 0n;
  for (const { name, database } of placesOf(world)) {
    const accounts = await database.sql<{ partner: number; gold: bigint }[]>`
      select partner_id as partner, gold_micrograms + allocation_micrograms as gold from accounts`;
    for (const account of accounts) {
      const { partner } = account;
      gold += account.gold;
      const home = homes.get(partner) ?? name;
      if (home !== name) {
        found.push(withoutCalls("I4", `accounts in ${name}, home is ${home}`, partner));
      }
    }
  }
  const [vault] = await world.control.database.sql<{ allocated: bigint }[]>`
    select allocated_micrograms as allocated from vault`;
  if (vault!.allocated !== gold) {
    found.push(
      withoutCalls("I1", `the vault has allocated ${vault!.allocated} and accounts have ${gold}`),
    );
  }
  return found;
}
