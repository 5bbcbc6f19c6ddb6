/** What a call asks for; `read` changes nothing. */
export type CallKind = "quote" | "order" | "withdrawal" | "cancel" | "fund" | "probe" | "read";

/**
 * `ok`: carried out. `fail`: not carried out, the service says so. `unknown`: no answer, or one that
 * says just this.
 */
export type Outcome = "ok" | "fail" | "unknown";

/** One call of a partner, with what came of it. */
export interface Call {
  /** Of its history, from 0, in the order in which calls began. */
  readonly number: number;
  readonly partner: number;
  readonly kind: CallKind;
  /** Its Idempotency-Key; empty for what takes none. */
  readonly key: string;
  /** Of a signed call; empty for others. */
  readonly nonce: string;
  /** The body that was sent; of a read the path, of a cancellation the withdrawal's id. */
  readonly asked: string;
  /** Epoch milliseconds of the caller's clock. */
  readonly startMs: number;
  /** 0 while there is no answer. */
  endMs: number;
  outcome: Outcome;
  /** 0 when there was no answer. */
  status: number;
  /** The error code, `ok`, or why there was no answer: `timeout`, `broken`. */
  code: string;
  /** The answer to a write that was carried out; else empty. */
  body: string;
  isReplay: boolean;
  /** Of a 503: when to come again. */
  retryAfter: string | undefined;
}

/** What is known of a call when it begins. */
export type Invocation = Pick<Call, "partner" | "kind" | "key" | "nonce" | "asked">;

/** What a call came to. */
export type Completion = Readonly<
  Pick<Call, "outcome" | "status" | "code" | "body" | "isReplay" | "retryAfter">
>;

/** All calls of a run, in the order in which they began. */
export class History {
  readonly calls: Call[] = [];
  /** One text for all equal answers of a key. */
  readonly #answers = new Map<string, string>();

  /** Records that a call begins; it counts as unknown until `end`. */
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
    const body = outcome === "ok" && call.key !== "" ? this.#keep(call, completion.body) : "";
    Object.assign(call, { outcome, status, code, body, isReplay, retryAfter, endMs: nowMs });
  }

  #keep({ partner, key }: Call, body: string): string {
    const name = `${partner} ${key}`;
    const known = this.#answers.get(name);
    if (known === undefined) this.#answers.set(name, body);
    return known === body ? known : body;
  }

  /** How often each kind had each code. */
  counts(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { kind, code } of this.calls) {
      counts[`${kind} ${code}`] = (counts[`${kind} ${code}`] ?? 0) + 1;
    }
    return counts;
  }
}
