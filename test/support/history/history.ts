/** The kinds of calls; `read` changes nothing. */
export type CallKind = "quote" | "order" | "withdrawal" | "cancel" | "fund" | "probe" | "read";

/**
 * `ok`: the service carried the call out. `fail`: the service refused it. `unknown`: there was no answer,
 * or the answer leaves the outcome open.
 */
export type Outcome = "ok" | "fail" | "unknown";

/** One call of a partner, and its outcome. */
export interface Call {
  /** Its number in the order of beginnings, from 0. */
  readonly number: number;
  readonly partner: number;
  readonly kind: CallKind;
  /** Its Idempotency-Key; empty if the call takes none. */
  readonly key: string;
  /** Empty for a call that is not signed. */
  readonly nonce: string;
  /** The body; for a read the path, for a cancellation the withdrawal's id. */
  readonly input: string;
  /** Epoch milliseconds of the caller's clock. */
  readonly startMs: number;
  /** 0 while there is no answer. */
  endMs: number;
  outcome: Outcome;
  /** 0 when there was no answer. */
  status: number;
  /** The error code, `ok`, or why there is no answer: `away` (not yet), `timeout`, `broken`. */
  code: string;
  /** The answer's body if a write was carried out or a receipt was read; else empty. */
  body: string;
  isReplay: boolean;
  /** The header `Retry-After`. */
  retryAfter: string | undefined;
}

/** The members of a call that are known when it begins. */
export type Invocation = Pick<Call, "partner" | "kind" | "key" | "nonce" | "input">;

/** The outcome of a call. */
export type Completion = Readonly<
  Pick<Call, "outcome" | "status" | "code" | "body" | "isReplay" | "retryAfter">
>;

/** All calls of a run, in the order in which they began. */
export class History {
  readonly calls: Call[] = [];
  /** Equal answers under a key share one text, which saves memory in long runs. */
  readonly #answers = new Map<string, string>();

  /** Records the beginning of a call; its outcome is unknown until `end`. */
  begin(invocation: Invocation, nowMs: number): Call {
    const call: Call = {
      number: this.calls.length,
      ...invocation,
      startMs: nowMs,
      endMs: 0,
      outcome: "unknown",
      status: 0,
      code: "away",
      body: "",
      isReplay: false,
      retryAfter: undefined,
    };
    this.calls.push(call);
    return call;
  }

  end(call: Call, completion: Completion, nowMs: number): void {
    const { outcome, status, code, isReplay, retryAfter } = completion;
    const isKept = call.key !== "" || (isReceipt(call) && status === 200);
    const body = outcome === "ok" && isKept ? this.#keep(call, completion.body) : "";
    Object.assign(call, { outcome, status, code, body, isReplay, retryAfter, endMs: nowMs });
  }

  #keep({ partner, key, input }: Call, body: string): string {
    const name = `${partner} ${key || input}`;
    const known = this.#answers.get(name);
    if (known === undefined) this.#answers.set(name, body);
    return known === body ? known : body;
  }

  /** Counts the calls of each kind by their code. */
  counts(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { kind, code } of this.calls) {
      counts[`${kind} ${code}`] = (counts[`${kind} ${code}`] ?? 0) + 1;
    }
    return counts;
  }
}

/** Returns whether a call read a receipt. */
export const isReceipt = ({ kind, input }: Pick<Call, "kind" | "input">): boolean =>
  kind === "read" && input.endsWith("/receipt");
