import type { Caller, Reply } from "../faults/caller.ts";
import { objectOf } from "../support/answers.ts";
import type { RawRequest } from "../support/raw_https.ts";
import { read, signed, tokenRequest, write } from "../support/service_requests.ts";
import type { Call, CallKind, History, Invocation } from "./history.ts";
import { pause } from "../faults/waiting.ts";

/** A call whose bytes are made, to be sent once or several times. */
export interface Prepared {
  readonly invocation: Invocation;
  readonly request: RawRequest;
}

export interface Wish {
  readonly kind: Exclude<CallKind, "read">;
  readonly body: string;
  readonly key: string;
}

const TARGETS = {
  quote: "/v1/quotes",
  order: "/v1/orders",
  withdrawal: "/v1/withdrawals",
  fund: "/sandbox/fund",
  probe: "/v1/signed-probe",
};

/** Tokens live ten minutes (Decision D16). */
const TOKEN_AGE_MS = 480_000;
const TOKEN_PATIENCE_MS = 60_000;

/** Nothing can be asked: the service has given no token for a long time. */
export class NoTokenError extends Error {}

/** A partner whose every call is written into a history. */
export class Bank {
  readonly caller: Caller;
  readonly #history: History;
  readonly #baseUrl: string;
  readonly #now: () => number;
  #token: Promise<string> | undefined;
  #tokenMs = 0;

  /** @param baseUrl what its signatures name */
  constructor(caller: Caller, history: History, baseUrl: string, now: () => number) {
    this.caller = caller;
    this.#history = history;
    this.#baseUrl = baseUrl;
    this.#now = now;
  }

  /** Makes and signs a write; a nonce of its own each time. */
  async prepare({ kind, body, key }: Wish): Promise<Prepared> {
    const token = await this.#freshToken();
    const { partner } = this.caller;
    const isSigned = kind !== "quote" && kind !== "fund";
    const target = kind === "cancel" ? `/v1/withdrawals/${body}/cancel` : TARGETS[kind];
    const sent = kind === "cancel" ? "{}" : body;
    const headers = { "Idempotency-Key": key };
    const nonce = isSigned ? crypto.randomUUID() : "";
    const request = isSigned
      ? await signed(partner, target, token, sent, {
        url: this.#baseUrl + target,
        nonce,
        headers,
      })
      : write(target, token, sent, headers);
    const known = kind === "probe" ? "" : key;
    return {
      invocation: { partner: partner.partnerId, kind, key: known, nonce, body },
      request: this.#addressed(request),
    };
  }

  /** Sends what was prepared and records it. */
  async send({ invocation, request }: Prepared, choices: SendChoices = {}): Promise<Call> {
    const call = this.#history.begin(invocation, this.#now());
    const reply = await this.caller.send(request, choices);
    this.#history.end(call, completionOf(reply), this.#now());
    // What an instance with a wrong clock has made is no good to the others.
    if (/^token_(expired|invalid)$/.test(reply.code)) this.#token = undefined;
    return call;
  }

  async write(wish: Wish, choices: SendChoices = {}): Promise<Call> {
    return await this.send(await this.prepare(wish), choices);
  }

  /** Reads a path; the answer stands in no history, only its status. */
  async read(target: string, choices: SendChoices = {}): Promise<Reply> {
    const request = this.#addressed(read(target, await this.#freshToken()));
    const { partnerId: partner } = this.caller;
    const invocation = { partner, kind: "read", key: "", nonce: "", body: target } as const;
    const call = this.#history.begin(invocation, this.#now());
    const reply = await this.caller.send(request, choices);
    this.#history.end(call, completionOf(reply), this.#now());
    return reply;
  }

  #freshToken(): Promise<string> {
    const isOld = this.#now() - this.#tokenMs > TOKEN_AGE_MS;
    if (this.#token === undefined || isOld) {
      this.#tokenMs = this.#now();
      this.#token = this.#askToken();
      // The next call asks again.
      this.#token.catch(() => this.#token = undefined);
    }
    return this.#token;
  }

  async #askToken(): Promise<string> {
    for (const endMs = this.#now() + TOKEN_PATIENCE_MS; this.#now() < endMs; await pause(200)) {
      const request = this.#addressed(tokenRequest(this.caller.partner));
      const reply = await this.caller.send(request, { timeoutMs: 5_000 });
      if (reply.outcome === "ok") return String(objectOf(reply).get("access_token"));
    }
    throw new NoTokenError(`${this.caller.partner.clientId} gets no token`);
  }

  #addressed(request: RawRequest): RawRequest {
    const { host } = new URL(this.#baseUrl);
    const headers = request.headers.map(([name, value]) =>
      [name, name === "Host" ? host : value] as const
    );
    return { ...request, headers };
  }
}

export interface SendChoices {
  instance?: number;
  timeoutMs?: number;
}

function completionOf({ outcome, status, code, body, isReplay }: Reply) {
  return { outcome, status, code, answer: body, isReplay };
}
