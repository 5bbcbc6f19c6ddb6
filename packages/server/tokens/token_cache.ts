import type { VerifiedToken } from "./verify_token.ts";

/** The most tokens that are kept; each takes about 600 bytes. */
const CAPACITY = 10_000;

/**
 * Tokens that have been verified, so that a signature is checked once per token and not once per
 * request. Bounded; the oldest goes first. Only a token's own content is kept here: its expiry,
 * key, binding and revocation are checked on every request.
 */
export class TokenCache {
  readonly #tokens = new Map<string, VerifiedToken>();

  get(token: string): VerifiedToken | undefined {
    return this.#tokens.get(token);
  }

  put(token: string, verified: VerifiedToken): void {
    if (this.#tokens.size >= CAPACITY) {
      const oldest = this.#tokens.keys().next();
      if (!oldest.done) this.#tokens.delete(oldest.value);
    }
    this.#tokens.set(token, verified);
  }
}
