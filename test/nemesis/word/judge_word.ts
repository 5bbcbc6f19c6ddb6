import type { Violation } from "../../support/history/checker.ts";
import type { Call } from "../../support/history/history.ts";
import type { Strike } from "../schedule.ts";
import type { Source, Statement } from "./statements.ts";

/** For how long the service may be wrong about itself. Milliseconds. */
interface Bounds {
  /** It says that all is well, and every write of one kind is refused. */
  readonly unnoticedMs: number;
  /** It says that it does not serve, and every write is carried out. */
  readonly alarmedMs: number;
}

/**
 * The times within which the service's word must come true (I15). Health looks ten seconds back and is asked
 * every second (Decision D16). `/ready` looks at what is so now, but for the kinds of writes that it names.
 */
export const BOUNDS: Readonly<Record<Source, Bounds>> = {
  "/health": { unnoticedMs: 12_000, alarmedMs: 15_000 },
  "/ready": { unnoticedMs: 12_000, alarmedMs: 5_000 },
  alerts: { unnoticedMs: 12_000, alarmedMs: 15_000 },
};

/** Fewer calls show nothing. */
const LEAST_CALLS = 5;
/** Statements that are further apart do not vouch for the time between. */
const LONGEST_GAP_MS = 4_000;

/** A fault and its recovery. */
interface Trouble {
  readonly strike: Pick<Strike, "names">;
  readonly beganMs: number;
  readonly endedMs: number;
}

/** A wrong release that answers for its own health alone. */
const UNAWARE = /no answer to a signed request/;
/** That, and faults in front of the instances, of which these know nothing. */
const UNSEEN = /Envoy|swizzled|no answer to a signed request/;

/** Returns a violation of I15 for each time that the service was wrong about itself for too long. */
export function falseStatements(
  statements: readonly Statement[],
  calls: readonly Call[],
  troubles: readonly Trouble[],
): Violation[] {
  const writes = calls.filter(({ endMs, kind }) => endMs > 0 && kind !== "read")
    .toSorted((a, b) => a.endMs - b.endMs);
  const without = (names: RegExp) =>
    outside(troubles.filter(({ strike }) => names.test(strike.names.join())));
  const outside = (apart: readonly Trouble[]) =>
    writes.filter(({ startMs, endMs }) =>
      !apart.some(({ beganMs, endedMs }) => beganMs <= endMs && startMs <= endedMs)
    );
  /** The calls by which a source is judged that says that all is well, or that something is wrong. */
  const ofWell: Readonly<Record<Source, readonly Call[]>> = {
    "/health": without(UNAWARE),
    "/ready": without(UNSEEN),
    alerts: without(UNAWARE),
  };
  // An alert may be right though no call is refused: one part of several is away.
  const ofWrong = { "/health": writes, "/ready": writes, alerts: outside(troubles) };
  const found: Violation[] = [];
  for (const alike of grouped(statements, ({ source, partner }) => `${source} ${partner}`)) {
    const { source, partner } = alike[0]!;
    const { unnoticedMs, alarmedMs } = BOUNDS[source];
    const note = (what: string, lie: readonly Call[] | undefined) => {
      if (lie === undefined) return;
      const calls = lie.slice(-LEAST_CALLS);
      found.push({ invariant: "I15", partner, what: `${source} ${what}`, about: [], calls });
    };
    const own = ofWell[source].filter((call) => partner === 0 || call.partner === partner);
    const kinds = grouped(own, ({ kind }) => kind);
    for (const span of spansOf(alike, true)) {
      for (const ofKind of kinds) {
        const lie = contradiction(ofKind, span, unnoticedMs, isRefused);
        note(`says that all is well, every ${ofKind[0]!.kind} is refused`, lie);
      }
    }
    // The health of a partner's cell speaks of its other partners' calls too.
    for (const span of spansOf(alike, false)) {
      const lie = contradiction(ofWrong[source], span, alarmedMs, isCarriedOut);
      note(`says "${span.words || "unavailable"}", every write is carried out`, lie);
    }
  }
  return found;
}

function grouped<T>(items: readonly T[], nameOf: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(nameOf(item)) ?? [];
    groups.set(nameOf(item), group);
    group.push(item);
  }
  return [...groups.values()];
}

/** Whether a call was refused as nobody's fault but the service's; undefined: it tells nothing. */
const isRefused = ({ status }: Call) => status === 0 ? undefined : status >= 500;
const isCarriedOut = (call: Call) => {
  const refused = isRefused(call);
  return refused === undefined ? undefined : !refused;
};

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
  readonly words: string;
}

/** The times in which a source said the same without a break. */
function spansOf(statements: readonly Statement[], isWell: boolean): Span[] {
  const spans: { fromMs: number; toMs: number; words: string }[] = [];
  let last: Statement | undefined;
  for (const statement of statements) {
    const { atMs, words } = statement;
    const goesOn = last?.isWell === isWell && atMs - last.atMs < LONGEST_GAP_MS;
    if (statement.isWell === isWell) {
      if (goesOn) spans.at(-1)!.toMs = atMs;
      else spans.push({ fromMs: atMs, toMs: atMs, words });
    }
    last = statement;
  }
  return spans;
}

/**
 * Finds calls in a row that contradict, without one that agrees between, for longer than the bound.
 *
 * @param calls by their ends
 * @param contradicts undefined: the call tells nothing
 */
function contradiction(
  calls: readonly Call[],
  { fromMs, toMs }: Span,
  boundMs: number,
  contradicts: (call: Call) => boolean | undefined,
): Call[] | undefined {
  if (toMs - fromMs <= boundMs) return undefined;
  let streak: Call[] = [];
  for (let n = firstAfter(calls, fromMs); n < calls.length && calls[n]!.endMs <= toMs; n++) {
    const call = calls[n]!;
    if (call.startMs < fromMs) continue;
    const does = contradicts(call);
    if (does === false) streak = [];
    if (does !== true) continue;
    streak.push(call);
    const lasts = call.endMs - streak[0]!.endMs;
    if (streak.length >= LEAST_CALLS && lasts > boundMs) return streak;
  }
  return undefined;
}

/** The index of the first call that ended at this time or later. */
function firstAfter(calls: readonly Call[], atMs: number): number {
  let low = 0;
  for (let high = calls.length; low < high;) {
    const middle = (low + high) >> 1;
    if (calls[middle]!.endMs < atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
