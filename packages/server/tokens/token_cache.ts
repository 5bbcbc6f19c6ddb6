import type { VerifiedToken } from "./verify_token.ts";

/**
 * Tokens that have been verified, so that a signature is checked once per token and not once per
 * request. Bounded; the oldest goes first. Only a token's own content is kept here: its expiry,
 * key, binding and revocation are checked on every request.
 */
export class TokenCache {
  readonly #tokens = new Map<string, VerifiedToken>();
  readonly #capacity: number;

  /** @param capacity the most tokens that are kept; one takes about 600 bytes */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(token: string): VerifiedToken | undefined {
    return this.#tokens.get(token);
  }

  put(token: string, verified: VerifiedToken): void {
    if (this.#tokens.size >= this.#capacity) {
      const oldest = this.#tokens.keys().next();
      if (!oldest.done) this.#tokens.delete(oldest.value);
    }
    this.#tokens.set(token, verified);
  }

  get size(): number {
    return this.#tokens.size;
  }
}
