import { type Caller, idOf, type Prepared, type SendChoices, type WriteKind } from "./caller.ts";
import type { Chance } from "./chance.ts";
import type { Call, History } from "./history.ts";

/** The partners, size and seed of a load. */
export interface WorkloadOptions {
  readonly history: History;
  /** Partners with plenty of money. */
  readonly callers: readonly Caller[];
  /** A partner whose balance is enough for one write at a time. */
  readonly poor?: Caller;
  readonly seed: number;
  /** About how many calls are in flight at once. */
  readonly workers: number;
  /** No call begins once the history has this many. */
  readonly operations?: number;
  /** One call in this many is abandoned within 65 ms; by default no call is. */
  readonly hasty?: number;
}

/** A call and its caller. */
export interface Made {
  readonly caller: Caller;
  readonly call: Call;
}

/** State that all workers share. */
export interface Shared {
  /** The latest writes that may be repeated. */
  readonly recent: Made[];
  /** Quotes that are kept until they have expired. */
  readonly kept: { readonly caller: Caller; readonly id: string; readonly untilMs: number }[];
  readonly withdrawn: { readonly caller: Caller; readonly id: string }[];
  /** Writes whose outcome is not known yet. */
  readonly unknown: Made[];
  ordered: number;
}

const RECENT = 200;

/** Makes the calls of a load, turn by turn. */
export class Worker {
  readonly options: WorkloadOptions;
  readonly shared: Shared;
  readonly chance: Chance;
  readonly #name: string;
  #keys = 0;
  /** Whether the last call got no answer, or 503. */
  isAway = false;

  constructor(options: WorkloadOptions, shared: Shared, chance: Chance, name: string) {
    this.options = options;
    this.shared = shared;
    this.chance = chance;
    this.#name = name;
  }

  /** Returns a new Idempotency-Key. */
  key(): string {
    return `${this.#name}-${++this.#keys}`;
  }

  /** Picks a partner with plenty of money. */
  rich(): Caller {
    return this.chance.pick(this.options.callers);
  }

  /** Returns a body with a random amount below this number of riyals. */
  amount(riyals: number): string {
    return `{"amount_sar":${1 + this.chance.below(100 * riyals) / 100}}`;
  }

  choices(caller: Caller): SendChoices {
    const { hasty } = this.options;
    const isHasty = hasty !== undefined && this.chance.below(hasty) === 0;
    return {
      instance: this.chance.below(caller.instances),
      ...isHasty && { timeoutMs: 5 + this.chance.below(60) },
    };
  }

  async write(caller: Caller, kind: WriteKind, input: string, key = this.key()): Promise<Call> {
    return await this.send(caller, await caller.prepare(kind, input, { key }));
  }

  /** Sends a write, and keeps it for later repeats. */
  async send(
    caller: Caller,
    prepared: Prepared,
    choices: SendChoices = this.choices(caller),
  ): Promise<Call> {
    const { call } = await caller.send(prepared, choices);
    this.isAway = call.status === 503 || call.status === 0;
    const { recent, unknown } = this.shared;
    if (call.key !== "") {
      recent.push({ caller, call });
      if (recent.length > RECENT) recent.shift();
      if (call.outcome === "unknown") unknown.push({ caller, call });
    }
    if (call.kind === "order" && call.outcome === "ok") this.shared.ordered += 1;
    return call;
  }

  async repeat({ caller, call: { kind, input, key } }: Made): Promise<Call> {
    return await this.write(caller, kind as WriteKind, input, key);
  }

  /** Requests a quote; returns its id, or undefined if it was refused or its outcome is unknown. */
  async quote(caller: Caller, body = this.quoteBody()): Promise<string | undefined> {
    const call = await this.write(caller, "quote", body);
    return call.outcome === "ok" ? idOf(call) : undefined;
  }

  async prepareOrder(caller: Caller, quoteId: string): Promise<Prepared> {
    return await caller.prepare("order", orderOf(quoteId), { key: this.key() });
  }

  quoteBody(): string {
    const { below } = this.chance;
    const side = below(5) > 1 ? "buy" : "sell";
    if (below(4) === 0) return `{"side":"${side}","amount_sar":${10 + below(900)}}`;
    return `{"side":"${side}","gold_grams":${(100 + below(20_000)) / 10_000}}`;
  }
}

/** Returns the body of an order. */
export const orderOf = (quoteId: string): string => `{"quote_id":"${quoteId}"}`;
