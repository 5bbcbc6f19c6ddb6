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
  /** With the path where that says what is meant: of a read, and of a cancellation. */
  readonly body: string;
  /** Epoch milliseconds of the caller's clock. */
  readonly startMs: number;
  /** 0 while it is away. */
  endMs: number;
  outcome: Outcome;
  /** 0 when there was no answer. */
  status: number;
  /** The error code, `ok`, or why there was no answer. */
  code: string;
  /** The answer to what was carried out. */
  answer: string;
  isReplay: boolean;
}

/** What is known of a call when it begins. */
export type Invocation = Pick<Call, "partner" | "kind" | "key" | "nonce" | "body">;

/** What a call came to. */
export type Completion = Pick<Call, "outcome" | "status" | "code" | "answer" | "isReplay">;

/** All calls of a run, in the order in which they began. */
export class History {
  readonly calls: Call[] = [];
  /** One text for all equal answers of a key. */
  readonly #answers = new Map<string, string>();

  /** Records that a call begins; it counts as unknown until `end`. */
  begin(invocation: Invocation, nowMs: number): Call {
    const none = { endMs: 0, status: 0, code: "away", answer: "", isReplay: false } as const;
    const call: Call = {
      number: this.calls.length,
      ...invocation,
      startMs: nowMs,
      outcome: "unknown",
      ...none,
    };
    this.calls.push(call);
    return call;
  }

  end(call: Call, completion: Completion, nowMs: number): void {
    Object.assign(call, completion, { endMs: nowMs });
    if (call.outcome !== "ok" || call.key === "") return void (call.answer = "");
    const id = `${call.partner} ${call.key}`;
    const known = this.#answers.get(id);
    if (known === undefined) this.#answers.set(id, call.answer);
    else if (known === call.answer) call.answer = known;
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
