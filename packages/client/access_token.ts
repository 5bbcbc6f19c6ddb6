/** A token as the token endpoint gave it. */
export interface FetchedToken {
  accessToken: string;
  expiresInSeconds: number;
}

/** Renewed in the background from here on, while the old one is still good. */
const RENEW_BEFORE_MS = 60_000;
/** Not used any more from here on: a request may be under way for a while. */
const TOO_OLD_BEFORE_MS = 5_000;

/**
 * Keeps one access token in memory, never anywhere else (Spec §5 Token).
 *
 * However many callers wait, one fetch is in flight. It is renewed before its end without anyone
 * waiting; a failed early renewal is no error until the old token has run out.
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

  /** A token that is good for at least some seconds. Rejects as the fetch did. */
  get(): Promise<string> {
    const left = (this.#held?.untilMs ?? 0) - this.#now();
    if (!this.#held || left <= TOO_OLD_BEFORE_MS) return this.#renew();
    if (left <= RENEW_BEFORE_MS) this.#renew().catch(() => {});
    return Promise.resolve(this.#held.text);
  }

  /** The service refused this token: it is not handed out again. */
  drop(text: string): void {
    if (this.#held?.text === text) this.#held = undefined;
  }

  #renew(): Promise<string> {
    this.#underWay ??= this.#fetch().finally(() => this.#underWay = undefined);
    return this.#underWay;
  }

  async #fetch(): Promise<string> {
    const askedAt = this.#now();
    const { accessToken, expiresInSeconds } = await this.#fetchToken();
    this.#held = { text: accessToken, untilMs: askedAt + expiresInSeconds * 1000 };
    return accessToken;
  }
}
