/** A token from the token endpoint, with its expiry. */
export interface FetchedToken {
  accessToken: string;
  expiresInSeconds: number;
}

/** From this time before its expiry a token is renewed in the background, while it is still used. */
const RENEW_BEFORE_MS = 60_000;
/** From this time before its expiry a token is not used, because a request takes a while. */
const TOO_OLD_BEFORE_MS = 5_000;

/**
 * Keeps one access token in memory, never anywhere else (Spec §5 Token). `now` returns epoch milliseconds.
 *
 * However many callers wait, only one fetch is in flight. The token is renewed before its expiry without
 * delaying callers; a failed early renewal is an error only once the old token cannot be used.
 */
export class AccessTokenHolder {
  readonly #fetchToken: () => Promise<FetchedToken>;
  readonly #now: () => number;
  #held: { text: string; untilMs: number } | undefined;
  #underWay: Promise<string> | undefined;

  constructor(fetchToken: () => Promise<FetchedToken>, now: () => number) {
    this.#fetchToken = fetchToken;
    this.#now = now;
  }

  /** Returns a token that is valid for more than five seconds. Rejects with the fetch's error. */
  get(): Promise<string> {
    const left = (this.#held?.untilMs ?? 0) - this.#now();
    if (!this.#held || left <= TOO_OLD_BEFORE_MS) return this.#renew();
    if (left <= RENEW_BEFORE_MS) this.#renew().catch(() => {});
    return Promise.resolve(this.#held.text);
  }

  /** Discards a token that the service has refused; a newer token is kept. */
  drop(text: string): void {
    if (this.#held?.text === text) this.#held = undefined;
  }

  #renew(): Promise<string> {
    this.#underWay ??= this.#fetch().finally(() => this.#underWay = undefined);
    return this.#underWay;
  }

  async #fetch(): Promise<string> {
    const requestedAtMs = this.#now();
    const { accessToken, expiresInSeconds } = await this.#fetchToken();
    this.#held = { text: accessToken, untilMs: requestedAtMs + expiresInSeconds * 1000 };
    return accessToken;
  }
}
