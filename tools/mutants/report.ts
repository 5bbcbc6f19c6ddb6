import { formatDiff, type Mutant, nameMutant } from "./mutant.ts";
import type { Judgement } from "./kept_results.ts";
import type { Reason } from "./reasons.ts";

/** A mutant and what became of it. */
export interface Result {
  room: string;
  mutant: Mutant;
  judgement: Judgement;
}

/** What counts, of a room or of all. */
interface Score {
  found: number;
  /** Those that live without a reason. */
  living: number;
  /** Those that live for a reason. */
  reasoned: number;
}

/** Makes the lines of the report: survivors without a reason, reasons that are stale, scores. */
export function reportLines(
  results: readonly Result[],
  reasons: ReadonlyMap<string, Reason>,
  stale: readonly Reason[],
): string[] {
  const living = unexplained(results, reasons);
  const rooms = [...new Set(results.map(({ room }) => room))];
  const scores = rooms.map((name) => {
    const score = scoreOf(results.filter(({ room }) => room === name), reasons);
    return `${name}: ${formatScore(score)}`;
  });
  return [
    ...living.flatMap(({ mutant }) => ["", ...formatDiff(mutant)]),
    ...(living.length > 0 ? [""] : []),
    ...stale.map((entry) =>
      `survivors.json is stale: ${entry.file} has no such survivor (${
        nameMutant(entry)
      }): ${entry.before}`
    ),
    ...(rooms.length > 1 ? scores : []),
    formatScore(scoreOf(results, reasons)),
  ];
}

/** Returns the mutants that live without a reason. */
export function unexplained(
  results: readonly Result[],
  reasons: ReadonlyMap<string, Reason>,
): Result[] {
  return results.filter(({ mutant, judgement }) =>
    judgement.outcome === "lives" && !reasons.has(nameMutant(mutant))
  );
}

/** Makes the text of `--json`. */
export function reportJson(
  results: readonly Result[],
  reasons: ReadonlyMap<string, Reason>,
): string {
  const rows = results.map(({ room, mutant, judgement }) => {
    const { file, line, kind, before, after, nth } = mutant;
    const reason = reasons.get(nameMutant(mutant))?.reason;
    return { room, file, line, kind, before, after, nth, ...judgement, reason };
  });
  return JSON.stringify(rows, null, 2) + "\n";
}

function scoreOf(results: readonly Result[], reasons: ReadonlyMap<string, Reason>): Score {
  const living = unexplained(results, reasons).length;
  const count = (outcome: Judgement["outcome"]) =>
    results.filter(({ judgement }) => judgement.outcome === outcome).length;
  return { found: count("found"), living, reasoned: count("lives") - living };
}

/** The share is of those that a test could find: without those that live for a reason. */
function formatScore({ found, living, reasoned }: Score): string {
  const share = found + living === 0 ? 100 : 100 * found / (found + living);
  const rest = reasoned === 0 ? "" : `, ${reasoned} live for a reason`;
  return `${found} found, ${living} live (${share.toFixed(1)} % found)${rest}`;
}
