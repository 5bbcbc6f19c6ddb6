import { setTimeout as pause } from "node:timers/promises";
import { objectOf } from "../answers.ts";
import { openRaw, type RawConnection, type RawRequest, type RawResponse } from "../raw_https.ts";
import type { ServicePartner } from "../service_partner.ts";
import {
  BASE_URL,
  read,
  signed,
  type SigningChoices,
  tokenRequest,
  write,
} from "../service_requests.ts";
import { type Call, type CallKind, type Completion, History, type Invocation } from "./history.ts";

/** The outcome of a call, and its duration. */
export interface Reply extends Completion {
  readonly ms: number;
}

/** A reply to a call that is in the history. */
export interface RecordedReply extends Reply {
  readonly call: Call;
}

/** The kinds of calls that change something. */
export type WriteKind = Exclude<CallKind, "read">;

/** A write as bytes, which can be sent several times. */
export interface Prepared {
  readonly invocation: Invocation;
  readonly request: RawRequest;
}

/** The instance that is called, and the time limit. */
export interface SendChoices {
  /** Which instance is called, from 0; 0 by default. */
  readonly instance?: number;
  /** If a call takes longer, its outcome is unknown. */
  readonly timeoutMs?: number | undefined;
}

/** The key and signature of a write, and how it is sent. */
export interface WriteChoices extends SendChoices {
  /** The Idempotency-Key; a new one by default. */
  readonly key?: string;
  readonly signing?: SigningChoices;
}

const TARGETS: Readonly<Record<Exclude<WriteKind, "cancel">, string>> = {
  quote: "/v1/quotes",
  order: "/v1/orders",
  withdrawal: "/v1/withdrawals",
  fund: "/sandbox/fund",
  probe: "/v1/signed-probe",
};

const TIMEOUT_MS = 30_000;
const OPENING_TIMEOUT_MS = 5_000;
/** Tokens live ten minutes (Decision D16). */
const TOKEN_AGE_MS = 480_000;
const TOKEN_PATIENCE_MS = 60_000;

/** Thrown when the service has issued no token for a long time. */
export class NoTokenError extends Error {}

/** One partner's calls to all instances, over persistent connections. Each call is recorded. */
export class Caller {
  readonly partner: ServicePartner;
  readonly history: History;
  readonly #ports: readonly number[];
  readonly #baseUrl: string;
  readonly #idle = new Map<number, RawConnection[]>();
  #token: Promise<string> | undefined;
  #tokenMs = 0;

  /**
   * @param ports the ports of the instances, by their numbers
   * @param baseUrl the base URL in its signatures
   */
  constructor(
    partner: ServicePartner,
    ports: readonly number[],
    { history = new History(), baseUrl = BASE_URL } = {},
  ) {
    this.partner = partner;
    this.history = history;
    this.#ports = ports;
    this.#baseUrl = baseUrl;
  }

  get partnerId(): number {
    return this.partner.partnerId;
  }

  get instances(): number {
    return this.#ports.length;
  }

  /** Builds a write, and signs it if the API requires it; the nonce is new by default. */
  async prepare(
    kind: WriteKind,
    body: string,
    { key = crypto.randomUUID(), signing = {} }: WriteChoices = {},
  ): Promise<Prepared> {
    const token = await this.#freshToken();
    const isSigned = kind !== "quote" && kind !== "fund";
    const target = kind === "cancel" ? `/v1/withdrawals/${body}/cancel` : TARGETS[kind];
    const sent = kind === "cancel" ? "{}" : body;
    const headers = { "Idempotency-Key": key };
    const nonce = isSigned ? signing.nonce ?? crypto.randomUUID() : "";
    const choices = { url: this.#baseUrl + target, ...signing, nonce, headers };
    const request = isSigned
      ? await signed(this.partner, target, token, sent, choices)
      : write(target, token, sent, headers);
    const recordedKey = kind === "probe" ? "" : key;
    return {
      invocation: { partner: this.partnerId, kind, key: recordedKey, nonce, input: body },
      request,
    };
  }

  /** Sends a prepared write, and records it. */
  async send({ invocation, request }: Prepared, choices: SendChoices = {}): Promise<RecordedReply> {
    const call = this.history.begin(invocation, Date.now());
    const reply = await this.sendRaw(request, choices);
    this.history.end(call, reply, Date.now());
    // Instances refuse a token from an instance with a wrong clock.
    if (/^token_(expired|invalid)$/.test(reply.code)) this.#token = undefined;
    return { ...reply, call };
  }

  async write(kind: WriteKind, body: string, choices: WriteChoices = {}): Promise<RecordedReply> {
    return await this.send(await this.prepare(kind, body, choices), choices);
  }

  async get(target: string, choices: SendChoices = {}): Promise<RecordedReply> {
    const invocation = {
      partner: this.partnerId,
      kind: "read",
      key: "",
      nonce: "",
      input: target,
    } as const;
    const request = read(target, await this.#freshToken());
    return await this.send({ invocation, request }, choices);
  }

  /** Sends a request without recording it; a failure is a reply whose outcome is unknown. */
  async sendRaw(
    request: RawRequest,
    { instance = 0, timeoutMs = TIMEOUT_MS }: SendChoices = {},
  ): Promise<Reply> {
    const startedMs = performance.now();
    const idle = this.#idle.get(instance) ?? [];
    this.#idle.set(instance, idle);
    let connection = idle.pop();
    // The server closes connections that are idle for a while.
    while (connection && !connection.isOpen()) connection = idle.pop();
    try {
      // A short timeout applies to the answer, not to the handshake.
      const patienceMs = Math.max(timeoutMs, OPENING_TIMEOUT_MS);
      connection ??= await within(patienceMs, this.#open(instance));
      const answer = await within(timeoutMs, connection.send(this.#addressed(request)));
      if (answer.headers.get("connection")?.toLowerCase() === "close") connection.close();
      else idle.push(connection);
      return replyOf(answer, performance.now() - startedMs);
    } catch (error) {
      connection?.close();
      const code = (error as Error).message === "timeout" ? "timeout" : "broken";
      return noReply(code, performance.now() - startedMs);
    }
  }

  /** Closes the persistent connections to one instance, or to all by default. */
  close(instance?: number): void {
    for (const [number, idle] of this.#idle) {
      if (instance !== undefined && number !== instance) continue;
      for (const connection of idle.splice(0)) connection.close();
    }
  }

  #freshToken(): Promise<string> {
    const isOld = performance.now() - this.#tokenMs > TOKEN_AGE_MS;
    if (this.#token === undefined || isOld) {
      this.#tokenMs = performance.now();
      this.#token = this.#askToken();
      // The next call requests a token again.
      this.#token.catch(() => this.#token = undefined);
    }
    return this.#token;
  }

  async #askToken(): Promise<string> {
    const endMs = performance.now() + TOKEN_PATIENCE_MS;
    for (let attempt = 0; performance.now() < endMs; attempt++) {
      const request = tokenRequest(this.partner);
      const instance = attempt % this.instances;
      const reply = await this.sendRaw(request, { instance, timeoutMs: 5_000 });
      if (reply.outcome === "ok") return String(objectOf(reply).get("access_token"));
      await pause(200);
    }
    throw new NoTokenError(`${this.partner.clientId} gets no token`);
  }

  #addressed(request: RawRequest): RawRequest {
    const { host } = new URL(this.#baseUrl);
    const headers = request.headers.map(([name, value]) =>
      [name, name === "Host" ? host : value] as const
    );
    return { ...request, headers };
  }

  #open(instance: number): Promise<RawConnection> {
    const { kit } = this.partner;
    return openRaw({
      port: this.#ports[instance]!,
      caPem: kit.caPem,
      certificatePem: kit.clientCertificatePem,
      keyPem: kit.clientKeyPem,
    });
  }
}

/** Rejects with `timeout` when a promise takes longer. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("timeout")), ms);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function replyOf({ status, headers, body }: RawResponse, ms: number): Reply {
  const code = status < 300 ? "ok" : codeOf(body);
  // A refusal with any other code promises that nothing was done.
  const isUnknown = status === 500 || code === "outcome_unknown" || code === "";
  return {
    outcome: code === "ok" ? "ok" : isUnknown ? "unknown" : "fail",
    status,
    code,
    body,
    isReplay: headers.get("idempotent-replayed") === "true",
    retryAfter: headers.get("retry-after"),
    ms,
  };
}

function noReply(code: string, ms: number): Reply {
  return {
    outcome: "unknown",
    status: 0,
    code,
    body: "",
    isReplay: false,
    retryAfter: undefined,
    ms,
  };
}

function codeOf(body: string): string {
  try {
    return String(objectOf({ body }).get("code") ?? "");
  } catch {
    return "";
  }
}

/** Returns the member `id` of an answer. */
export function idOf({ body }: { readonly body: string }): string {
  return String(objectOf({ body }).get("id"));
}
