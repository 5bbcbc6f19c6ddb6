import { seeded } from "../support/seeded.ts";
import type { Bank, Prepared, SendChoices } from "./bank.ts";
import type { Call, History } from "./history.ts";

/** Chance of one worker: the same seed gives the same draws. */
interface Chance {
  below(below: number): number;
  pick<T>(from: readonly T[]): T;
}

export interface WorkloadOptions {
  readonly history: History;
  /** Two or more; the last one has money for one thing at a time. */
  readonly banks: readonly Bank[];
  /** How many instances callers can choose from; 1 behind Envoy. */
  readonly instances: number;
  readonly seed: number;
  /** Calls that are away at once, about. */
  readonly workers: number;
  /** No call begins after so many. */
  readonly operations: number;
  readonly now: () => number;
}

/** What a worker of the load has at hand. */
export interface Worker {
  readonly options: WorkloadOptions;
  readonly shared: Shared;
  readonly chance: Chance;
  /** Whether its last call met nobody, or somebody who cannot serve now. */
  isAway: boolean;
  /** A key that no other call has. */
  key(): string;
}

/** What all workers have in common. */
export interface Shared {
  /** Writes that may be repeated, the latest. */
  readonly recent: { bank: Bank; call: Call }[];
  /** Quotes that are kept until after their end. */
  readonly kept: { bank: Bank; id: string; untilMs: number }[];
  readonly withdrawn: { bank: Bank; id: string }[];
  /** Writes whose outcome nobody knows yet. */
  readonly unknown: { bank: Bank; call: Call }[];
}

const RECENT = 200;
/** How long a caller waits that is not hasty. */
export const PATIENCE_MS = 15_000;

/** Makes the worker with this number, which draws from a seed of its own. */
export function makeWorker(options: WorkloadOptions, shared: Shared, number: number): Worker {
  const fraction = seeded(options.seed * 1_009 + number);
  const below = (limit: number) => Math.floor(fraction() * limit);
  const chance: Chance = { below, pick: (from) => from[below(from.length)]! };
  let keys = 0;
  const key = () => `${options.seed}-${number}-${++keys}`;
  return { options, shared, chance, isAway: false, key };
}

/** Keeps a write in mind, to be repeated; and what is unknown, to be found out. */
export async function sent(
  worker: Worker,
  bank: Bank,
  prepared: Prepared,
  chosen = choices(worker),
): Promise<Call> {
  const call = await bank.send(prepared, chosen);
  worker.isAway = isAway(call);
  const { recent, unknown } = worker.shared;
  if (call.key !== "") {
    recent.push({ bank, call });
    if (recent.length > RECENT) recent.shift();
    if (call.outcome === "unknown") unknown.push({ bank, call });
  }
  return call;
}

export const isAway = ({ status }: { readonly status: number }) => status === 503 || status === 0;

/** Now and then a caller waits hardly at all, and never learns what came of it. */
export function choices({ chance, options }: Worker): SendChoices {
  const isHasty = chance.below(40) === 0;
  const timeoutMs = isHasty ? 5 + chance.below(60) : PATIENCE_MS;
  return { instance: chance.below(options.instances), timeoutMs };
}

/** Any bank but the last. */
export const rich = ({ options: { banks }, chance }: Worker): Bank =>
  chance.pick(banks.slice(0, -1));
export const uuidOf = ({ answer }: Call): string => JSON.parse(answer).id;
export const wishOf = ({ kind, body, key }: Call) => ({ kind: kind as "order", body, key });
