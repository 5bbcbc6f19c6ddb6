import type { Finding } from "./books.ts";
import { checkBooks } from "./check_books.ts";
import { checkCalls, shortHash } from "./check_calls.ts";
import type { Call } from "./history.ts";
import type { Snapshot } from "./snapshot.ts";

/** A finding with the calls that it is about. */
export interface Violation extends Finding {
  /** The calls of the history that name it, in their order. */
  readonly calls: readonly Call[];
}

/** Makes a violation without a history of calls; partner 0: it concerns no single partner. */
export function withoutCalls(invariant: string, what: string, partner = 0): Violation {
  return { invariant, partner, what, about: [], calls: [] };
}

/**
 * Checks a history and the tables that it left by the invariants of `docs/faults.md`; pure.
 *
 * @param tables read after the last call ended, of the history's partners only
 * @param settledMs see `checkCalls`
 * @returns the violations; empty when all invariants hold
 */
export function check(calls: readonly Call[], tables: Snapshot, settledMs?: number): Violation[] {
  const found = [...checkCalls(calls, tables, settledMs), ...checkBooks(tables)];
  if (found.length === 0) return [];
  const named = callsByName(calls, tables);
  return found.map((finding) => {
    const about = new Set(finding.about.flatMap((name) => named.get(name) ?? []));
    const inOrder = [...about].sort((a, b) => a.number - b.number).slice(0, LONGEST);
    return { ...finding, calls: inOrder };
  });
}

const LONGEST = 40;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Indexes the calls by the keys, nonces and resources that they name. */
function callsByName(calls: readonly Call[], tables: Snapshot): Map<string, Call[]> {
  const named = new Map<string, Call[]>();
  const add = (name: string, call: Call) => {
    const known = named.get(name);
    if (known === undefined) named.set(name, [call]);
    else if (known.at(-1) !== call && known.length < LONGEST) known.push(call);
  };
  // Findings in the tables name the resource, and its key only as a hash.
  const resources = new Map<string, string>();
  for (const { key_hash, resource_id } of tables.keys) resources.set(key_hash, resource_id);
  for (const call of calls) {
    for (const [id] of `${call.input} ${call.body}`.matchAll(UUID)) add(id, call);
    if (call.nonce !== "") add(call.nonce, call);
    if (call.key === "") continue;
    add(call.key, call);
    const resource = resources.get(shortHash(call.key));
    if (resource !== undefined) add(resource, call);
  }
  return named;
}

/** Returns the kind of a violation: its text without ids and numbers. */
export const kindOf = ({ invariant, what }: Violation): string =>
  `${invariant} ${what.replaceAll(UUID, "…").replaceAll(/\d+/g, "…")}`;

/** Formats a violation for people, followed by its history. */
export function describeViolation({ invariant, partner, what, calls }: Violation): string {
  const startMs = calls[0]?.startMs ?? 0;
  const lines = calls.map((call) => {
    const at = `+${call.startMs - startMs} ms`.padStart(12);
    const took = call.endMs === 0 ? "no end" : `${call.endMs - call.startMs} ms`;
    const signed = call.nonce === "" ? "" : ` nonce ${call.nonce}`;
    const replay = call.isReplay ? " replayed" : "";
    return `${at}  #${call.number} partner ${call.partner} ${call.kind} key ${call.key}${signed} ` +
      `${call.input} → ${call.status} ${call.code}${replay} (${took})`;
  });
  return [`${invariant} partner ${partner}: ${what}`, ...lines].join("\n");
}
