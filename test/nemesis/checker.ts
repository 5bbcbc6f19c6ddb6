import { checkBooks } from "./check_books.ts";
import { checkCalls, shortHash } from "./check_calls.ts";
import type { Finding } from "./finding.ts";
import type { Call } from "./history.ts";
import type { Snapshot } from "./snapshot.ts";

/** A finding, with the calls that show it. */
export interface Violation extends Finding {
  /** The shortest part of the history that is about it, in its order. */
  readonly calls: readonly Call[];
}

/**
 * Holds a history and the tables that it left against the invariants of `docs/faults.md`. Pure: the
 * same two give the same answer.
 *
 * @param tables read after the last call ended, of the history's partners alone
 * @returns what contradicts them; empty when all hold
 */
export function check(calls: readonly Call[], tables: Snapshot): Violation[] {
  return [...checkCalls(calls, tables), ...checkBooks(tables)]
    .map((finding) => ({ ...finding, calls: aboutIt(calls, tables, finding) }));
}

const LONGEST = 40;

/** The calls that name what a finding is about, by key, nonce, body or answer. */
function aboutIt(calls: readonly Call[], tables: Snapshot, finding: Finding): Call[] {
  const about = finding.about.filter((one) => one !== "");
  if (about.length === 0) return [];
  // A finding in the tables names the resource; its key is known by its hash alone.
  const hashes = new Set(
    tables.keys.filter(({ resource_id }) => about.includes(resource_id))
      .map(({ key_hash }) => key_hash),
  );
  const isAbout = (call: Call) =>
    about.some((one) =>
      call.key === one || call.nonce === one || call.body.includes(one) || call.answer.includes(one)
    ) || (call.key !== "" && hashes.size > 0 && hashes.has(shortHash(call.key)));
  return calls.filter(isAbout).slice(0, LONGEST);
}

/** A violation as lines for people: what, then its history. */
export function describeViolation({ invariant, partner, what, calls }: Violation): string {
  const startMs = calls[0]?.startMs ?? 0;
  const lines = calls.map((call) => {
    const at = `+${call.startMs - startMs} ms`.padStart(12);
    const took = call.endMs === 0 ? "no end" : `${call.endMs - call.startMs} ms`;
    const signed = call.nonce === "" ? "" : ` nonce ${call.nonce}`;
    const replay = call.isReplay ? " replayed" : "";
    return `${at}  #${call.number} partner ${call.partner} ${call.kind} key ${call.key}${signed} ` +
      `${call.body} → ${call.status} ${call.code}${replay} (${took})`;
  });
  return [`${invariant} partner ${partner}: ${what}`, ...lines].join("\n");
}
