import type { LoadResult } from "./loader/drive.ts";
import { median, spread } from "./statistics.ts";
import { columns } from "./table.ts";

type Times = Pick<LoadResult, "perSecond" | "p50Ms" | "p99Ms">;

/** What was measured of one ledger, and what it promises. */
export interface PeerFigures {
  name: string;
  /** The rounds of one pair of accounts, of a hundred pairs, and of a hundred with a ledger each. */
  hot: readonly Times[];
  hundred: readonly Times[];
  /** None where a ledger each is nothing that it knows. */
  apart: readonly Times[];
  /** Whether each request is signed. */
  signed: string;
  /** Whether the commit is on the disk before the answer. */
  durable: string;
  /** What it answered, found again in its books, in words. */
  booked: string;
  /** What it answers to an order that it has carried out before. */
  repeat: string;
  /** What it answers to an order that nobody can pay. */
  beyondFunds: string;
}

/** Who is missing, and why: printed below the table. */
export const NOT_MEASURED =
  `Formance Ledger is measured as 1.9.0, whose module could be had and checked. Not measured: Formance
Ledger 2 (the checksum database did not know the one version that the Go module proxy gave out) and
Blnk (the proxy gave out none of the versions that were asked for). Nothing is built unchecked.`;

/** Ledgers beside one another: rates (median, smallest–largest round), times (median), promises. */
export function besidePeers(ledgers: readonly PeerFigures[]): string {
  const row = (head: string, cell: (ledger: PeerFigures) => string) => [head, ...ledgers.map(cell)];
  const measured = (words: string, runs: (ledger: PeerFigures) => readonly Times[]) => [
    row(`orders a second, ${words}`, (ledger) => rate(runs(ledger))),
    row("  p50, p99 in ms", (ledger) => times(runs(ledger))),
  ];
  return columns([
    row("", ({ name }) => name),
    ...measured("one pair of accounts", ({ hot }) => hot),
    ...measured("100 pairs", ({ hundred }) => hundred),
    ...measured("100 pairs, a ledger each", ({ apart }) => apart),
    row("signed requests", ({ signed }) => signed),
    row("on the disk before the answer", ({ durable }) => durable),
    row("answered, and in the books", ({ booked }) => booked),
    row("the same order again", ({ repeat }) => repeat),
    row("an order beyond the funds", ({ beyondFunds }) => beyondFunds),
  ]);
}

function rate(runs: readonly Times[]): string {
  if (runs.length === 0) return "–";
  const { median, min, max } = spread(runs.map(({ perSecond }) => perSecond));
  return `${median.toFixed(0)} (${min.toFixed(0)}–${max.toFixed(0)})`;
}

function times(runs: readonly Times[]): string {
  if (runs.length === 0) return "–";
  const of = (name: "p50Ms" | "p99Ms") => median(runs.map((run) => run[name])).toFixed(1);
  return `${of("p50Ms")}, ${of("p99Ms")}`;
}
