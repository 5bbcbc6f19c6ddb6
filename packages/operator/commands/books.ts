import { listCells } from "@sabika/core/admin";
import {
  compareActs,
  type Difference,
  reconcile as reconcileOne,
  reconcileSince,
} from "@sabika/core/ledger";
import { readPartners } from "@sabika/core/partners";
import { type Database, MAIN_CELL } from "@sabika/core/store";
import { formatHalalas, formatMicrograms, formatTime } from "@sabika/protocol";
import { command, switchFlag, textFlag } from "../command/command.ts";
import { amount, type Json } from "../command/json.ts";
import { listing } from "../command/listing.ts";
import { databaseOf } from "../connect/cell_databases.ts";
import type { Session } from "../connect/session.ts";
import { findPartner } from "./partner_show.ts";

/** `sabika reconcile` */
export const reconcile = command<{ partner?: string; full: boolean }, []>({
  act: "books.read",
  brief: "Recount the books: exit 1 and the differences when something does not agree",
  more:
    "Every balance is the sum of its transfers, each asset sums to zero, orders have the terms\n" +
    "of their quotes, came before their end, showed the balances that there were, have their keys\n" +
    "and nonces, the vault covers what is promised, and every cell has booked what was recorded.\n" +
    "What came since the last whole recount that found nothing; with --full, or --partner, from the\n" +
    "first transfer: that alone finds what was changed by force in what is older.",
  examples: ["reconcile", "reconcile --full", "reconcile --json"],
  flags: {
    partner: textFlag("This partner alone, whole", "ID"),
    full: switchFlag("Everything, from the first transfer"),
  },
  async run(session, flags) {
    const control = await session.database();
    const partners = await readPartners(control.sql, -1n);
    const one = flags.partner === undefined ? undefined : await findPartner(control, flags.partner);
    const partnerId = one?.partnerId;
    const { differences, sinceMs } = one === undefined
      ? await reconcileAll(session, control, flags.full)
      : {
        differences: await reconcileOne(await databaseOf(session, one.cellId), one),
        sinceMs: undefined,
      };
    const since = sinceMs === undefined ? null : formatTime(sinceMs);
    const nameOf = (id: number | null) =>
      partners.find((partner) => partner.partnerId === id)?.clientId ?? null;
    const count = partnerId === undefined ? partners.length : 1;
    const { json, text } = listing(differences, [
      ["partner", "PARTNER", (one) => nameOf(one.partnerId)],
      ["check", "CHECK", (one) => one.check],
      ["subject", "SUBJECT", (one) => one.subject],
      [
        "expected",
        "EXPECTED",
        (one) => valueOf(one, one.expected),
        (one) => textOf(one, one.expected),
      ],
      ["actual", "ACTUAL", (one) => valueOf(one, one.actual), (one) => textOf(one, one.actual)],
    ]);
    const ok = differences.length === 0;
    return {
      failed: !ok,
      json: { ok, partners: count, since, differences: json },
      text: ok
        ? `all is well: ${count} partners recounted${since ? `, since ${since}` : ""}\n`
        : text,
    };
  },
});

/** Every cell by itself, and what control has recorded for it. */
async function reconcileAll(session: Session, control: Database, whole: boolean) {
  const all = await reconcileSince(control, { whole });
  for (const { cellId } of await listCells(control.sql)) {
    if (cellId === MAIN_CELL) continue;
    const cell = await databaseOf(session, cellId);
    const { differences, sinceMs } = await reconcileSince(cell, { whole });
    const acts = await compareActs({ control: control.sql, cell: cell.sql, cellId });
    all.differences.push(...differences, ...acts);
    all.sinceMs = earlier(all.sinceMs, sinceMs);
  }
  return all;
}

/** Undefined is the first transfer. */
const earlier = (a: number | undefined, b: number | undefined) =>
  a === undefined || b === undefined ? undefined : Math.min(a, b);

const GOLD = ["gold", "allocation", "vault", "XAU", "bars", "promises", "grants"];
const COUNTS = ["numbers", "events", "keys", "nonces", "acts"];

const isGold = ({ subject }: Difference) =>
  GOLD.includes(subject) || subject.startsWith("gold after ");
const isCount = ({ check }: Difference) => COUNTS.includes(check);

/** Amounts in their unit, moments as such, counts as they are. */
function valueOf(difference: Difference, value: bigint): Json {
  if (difference.check === "times") return formatTime(Number(value));
  if (isCount(difference)) return Number(value);
  return amount(isGold(difference) ? formatMicrograms(value) : formatHalalas(value));
}

function textOf(difference: Difference, value: bigint): string {
  if (difference.check === "times") return formatTime(Number(value));
  if (isCount(difference)) return String(value);
  return isGold(difference) ? `${formatMicrograms(value)} g` : `${formatHalalas(value)} SAR`;
}
