import { type Refusal, refuse } from "@sabika/protocol";
import { TokenBuckets } from "./token_buckets.ts";

/** Failures allowed for each certificate: enough to develop a signature, but not for a flood. */
export const FAILURE_LIMIT = { perSecond: 10, burst: 100 };

/** What is verified; each kind has its own budget, so that junk of one kind does not stop the other. */
export type Verification = "token" | "signature";

/** The verifications of one certificate that are in progress, and those that wait for them. */
interface Line {
  underWay: number;
  readonly waiting: (() => void)[];
}

/**
 * Limits how many verifications may fail for each certificate (Decision D56). A verification is paid for
 * before it begins and refunded when it succeeds, so correct calls are never refused for their number,
 * and junk is never verified more often than the budget allows, however much comes at once.
 */
export class FailureBudget {
  readonly #verification: Verification;
  readonly #now: () => number;
  readonly #onFailure: (verification: Verification) => void;
  readonly #buckets = new TokenBuckets<string>();
  readonly #lines = new Map<string, Line>();

  /** Creates the budget of a kind; `now`: epoch milliseconds; `onFailure`: called for each that failed. */
  constructor(
    verification: Verification,
    now: () => number,
    onFailure: (verification: Verification) => void,
  ) {
    this.#verification = verification;
    this.#now = now;
    this.#onFailure = onFailure;
  }

  /**
   * Returns the result of `verify`, or `too_many_failed_authentications` without calling it. While
   * verifications in progress hold the rest of the budget, others wait for their results.
   *
   * @param certificateHash SHA-256, hex, of the certificate that the call came with
   * @throws what `verify` throws, without charge
   */
  async spend<Verified extends { readonly ok: true }>(
    certificateHash: string,
    verify: () => Promise<Verified | Refusal>,
  ): Promise<Verified | Refusal> {
    const verification = this.#verification;
    const line = this.#lineOf(certificateHash);
    let state = this.#take(certificateHash);
    while (!state.allowed) {
      if (line.underWay === 0) {
        return refuse("too_many_failed_authentications", {
          detail: `Too many ${verification}s that came with this certificate did not verify. ` +
            "For now none is looked at.",
          retryAfterSeconds: state.retryAfterSeconds,
        });
      }
      await new Promise<void>((resolve) => line.waiting.push(resolve));
      state = this.#take(certificateHash);
    }
    line.underWay++;
    let isFailed = false;
    try {
      const verified = await verify();
      isFailed = !verified.ok;
      return verified;
    } finally {
      line.underWay--;
      if (isFailed) this.#onFailure(verification);
      else this.#buckets.giveBack(verification, certificateHash);
      // A refund admits one verification; when none is in progress, all waiting ones can be judged.
      const awakened = line.underWay === 0 ? line.waiting.length : Number(!isFailed);
      for (const wake of line.waiting.splice(0, awakened)) wake();
    }
  }

  #take(certificateHash: string) {
    return this.#buckets.take(this.#verification, certificateHash, FAILURE_LIMIT, this.#now());
  }

  #lineOf(certificateHash: string): Line {
    let line = this.#lines.get(certificateHash);
    if (line === undefined) this.#lines.set(certificateHash, line = { underWay: 0, waiting: [] });
    return line;
  }
}
