import { plainArray, type Sql } from "@sabika/database";
import {
  CELL_LISTS,
  type CellList,
  countMoves,
  listCell,
  listControl,
  tallyCell,
  tallyControl,
} from "./cell_lists.ts";

/**
 * How a cell can differ from what control knows:
 *
 * - `elsewhere`: accounts of a partner that control's directory places in another cell
 * - `missing`: no accounts of a partner that the directory places here
 * - `act`: an act that control counts as booked or refused is neither here
 * - `move`: a move that control counts as ended is unknown here
 * - `copy`: the copy of a partner's row, of an act that is still to be booked, or of a table that is of no partner,
 *   differs or is missing
 */
export type CellDifferenceKind = "elsewhere" | "missing" | "act" | "move" | "copy";

/** One difference between control and a cell. */
export interface CellDifference {
  readonly kind: CellDifferenceKind;
  /** Null for the copy of a table that is of no partner. */
  readonly partnerId: number | null;
  readonly clientId: string | null;
  /** The act's or the move's UUID; null for `elsewhere`, `missing` and the copy of other rows. */
  readonly id: string | null;
  /** The act's name; `left` or `entered` for a move; a copied table that is of no partner; otherwise null. */
  readonly name: string | null;
}

/** The cell that is compared with control, and their databases. */
export interface ComparedCell {
  readonly control: Sql;
  readonly cell: Sql;
  readonly cellId: string;
  readonly pause: (ms: number) => Promise<void>;
}

/** What is being replicated has this long to arrive. */
const PAUSES_MS = [100, 400, 1_500];

/**
 * Compares the directory, the acts and the moves that control knows with what a cell has (Decision D53):
 * a cell that was restored to an earlier time, or is another database, differs. Where nothing differs
 * this costs a count and a sum for each list. Moves and acts in progress are left out, and a difference
 * is only reported when it is still there after two seconds.
 *
 * @returns empty when nothing differs
 */
export async function compareCell(compared: ComparedCell): Promise<CellDifference[]> {
  const { control, cell, cellId, pause } = compared;
  const known = await tallyControl(control, cellId);
  const inCell = await tallyCell(cell, known.underWay);
  if (CELL_LISTS.every((list) => known.tallies[list] === inCell[list])) return [];
  let believed = await lookClosely(compared);
  for (const ms of PAUSES_MS) {
    if (believed.size === 0) break;
    await pause(ms);
    const again = await lookClosely(compared);
    believed = new Set([...believed].filter((key) => again.has(key)));
  }
  return await describe(control, [...believed]);
}

/** Each difference as `kind key`. */
async function lookClosely({ control, cell, cellId }: ComparedCell): Promise<Set<string>> {
  const { lists: known, underWay, moves } = await listControl(control, cellId);
  const inCell = await listCell(cell, underWay);
  const missingOf = (list: CellList) => [...known[list]].filter((key) => !inCell[list].has(key));
  const tooManyOf = (list: CellList) => [...inCell[list]].filter((key) => !known[list].has(key));
  // A partner that began to move meanwhile is where it belongs.
  const movesNow = await countMoves(control, cellId);
  const stays = (partnerId: string) =>
    moves.get(Number(partnerId)) === movesNow.get(Number(partnerId));
  const copies = [...missingOf("copies"), ...tooManyOf("copies")].map((key) => key.split(" ")[0]!);
  return new Set([
    ...tooManyOf("homes").filter(stays).map((key) => `elsewhere ${key}`),
    ...missingOf("homes").filter(stays).map((key) => `missing ${key}`),
    ...missingOf("acts").map((key) => `act ${key}`),
    ...missingOf("moves").map((key) => `move ${key}`),
    ...copies.filter((key) => key.includes("-") || stays(key)).map((key) => `copy ${key}`),
  ]);
}

async function describe(control: Sql, found: readonly string[]): Promise<CellDifference[]> {
  if (found.length === 0) return [];
  const all = found.map((key) => key.split(" ") as [CellDifferenceKind, string, string?]);
  const isUuid = (id: string) => id.includes("-");
  const ids = plainArray(all.map(([, id]) => id).filter(isUuid));
  const rows = await control<{ id: string; partnerId: number; name: string | null }[]>`
    select act_id as id, partner_id as "partnerId", name from cell_acts
    where act_id = any(${ids}::uuid[])
    union all select move_id, partner_id, null from partner_moves
    where move_id = any(${ids}::uuid[])`;
  const named = new Map(rows.map((row) => [row.id, row]));
  const isTable = (id: string) => /^[a-z]/.test(id) && !isUuid(id);
  const partnerOf = (id: string) =>
    isTable(id) ? null : isUuid(id) ? named.get(id)!.partnerId : Number(id);
  const partners = await control<{ partnerId: number; clientId: string }[]>`
    select partner_id as "partnerId", client_id as "clientId" from partners
    where partner_id = any(${plainArray(all.flatMap(([, id]) => partnerOf(id) ?? []))}::integer[])`;
  const clientIds = new Map(partners.map(({ partnerId, clientId }) => [partnerId, clientId]));
  return all.map(([kind, id, side]) => {
    const partnerId = partnerOf(id);
    return {
      kind,
      partnerId,
      clientId: partnerId === null ? null : clientIds.get(partnerId)!,
      id: isUuid(id) ? id : null,
      name: side ?? named.get(id)?.name ?? (isTable(id) ? id : null),
    };
  });
}

/** Writes the number of differences of each kind in one line for the operator; empty when none. */
export function summariseDifferences(differences: readonly CellDifference[]): string {
  const counts = (Object.entries(WORDS) as [CellDifferenceKind, string][]).flatMap(
    ([kind, words]) => {
      const count = differences.filter((difference) => difference.kind === kind).length;
      return count === 0 ? [] : [`${count} ${words}`];
    },
  );
  return counts.join(", ");
}

const WORDS: Readonly<Record<CellDifferenceKind, string>> = {
  elsewhere: "partner(s) at home here that control places elsewhere",
  missing: "partner(s) placed here that have no accounts",
  act: "finished act(s) not booked here",
  move: "ended move(s) unknown here",
  copy: "row(s) of control not as copied",
};
