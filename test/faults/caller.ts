import { objectOf } from "../support/answers.ts";
import {
  read,
  signed,
  type SigningChoices,
  tokenRequest,
  write,
} from "../support/service_requests.ts";
import { type ServicePartner } from "../support/service_partner.ts";
import {
  openRaw,
  type RawConnection,
  type RawRequest,
  type RawResponse,
} from "../support/raw_https.ts";
import { within } from "./waiting.ts";

export interface Reply {
  /**
   * `ok`: carried out. `fail`: not carried out, the service says so. `unknown`: not known yet
   * (no answer, or one that says just this).
   */
  readonly outcome: "ok" | "fail" | "unknown";
  /** 0 when there was no answer. */
  readonly status: number;
  /** The error code, `ok`, or why there was no answer: `timeout`, `broken`. */
  readonly code: string;
  readonly body: string;
  readonly isReplay: boolean;
  readonly retryAfter: string | undefined;
  readonly ms: number;
}

export type WriteKind = "quote" | "order" | "withdrawal" | "fund" | "probe";

const TARGET: Record<WriteKind, string> = {
  quote: "/v1/quotes",
  order: "/v1/orders",
  withdrawal: "/v1/withdrawals",
  fund: "/sandbox/fund",
  probe: "/v1/signed-probe",
};

export interface WriteChoices {
  key?: string;
  instance?: number;
  timeoutMs?: number;
  signing?: SigningChoices;
}

const TIMEOUT_MS = 30_000;
const OPENING_TIMEOUT_MS = 5_000;
/** A token lives ten minutes; renewing it may fail for a while. */
const RENEWED_AFTER_MS = 180_000;
const RENEWAL_PAUSE_MS = 2_000;

/** One partner's calls to all instances, over connections that are kept. */
export class Caller {
  readonly partner: ServicePartner;
  readonly #ports: readonly number[];
  readonly #idle = new Map<number, RawConnection[]>();
  #token = "";
  #renewAtMs = 0;

  constructor(partner: ServicePartner, ports: readonly number[]) {
    this.partner = partner;
    this.#ports = ports;
  }

  get partnerId(): number {
    return this.partner.partnerId;
  }

  /** The access token that the calls carry: renewed long before it ends, as soon as that works. */
  async token(): Promise<string> {
    const nowMs = performance.now();
    if (nowMs < this.#renewAtMs) return this.#token;
    // Other calls meanwhile take the old one.
    if (this.#token !== "") this.#renewAtMs = nowMs + RENEWAL_PAUSE_MS;
    for (let instance = 0; instance < this.#ports.length; instance++) {
      const reply = await this.send(tokenRequest(this.partner), { instance });
      if (reply.outcome !== "ok") continue;
      this.#renewAtMs = nowMs + RENEWED_AFTER_MS;
      return this.#token = String(objectOf(reply).get("access_token"));
    }
    if (this.#token !== "") return this.#token;
    throw new Error(`${this.partner.clientId} gets no token`);
  }

  /** Sends a write; signed where it has to be. */
  async write(kind: WriteKind, body: string, choices: WriteChoices = {}): Promise<Reply> {
    return await this.send(await this.request(kind, body, choices), choices);
  }

  /** The bytes of a write, to be sent by `send`. */
  async request(kind: WriteKind, body: string, choices: WriteChoices = {}): Promise<RawRequest> {
    const token = await this.token();
    const more = { "Idempotency-Key": choices.key ?? crypto.randomUUID() };
    if (kind === "quote" || kind === "fund") return write(TARGET[kind], token, body, more);
    const headers = { ...more, ...choices.signing?.headers };
    return await signed(this.partner, TARGET[kind], token, body, { ...choices.signing, headers });
  }

  async get(target: string, choices: { instance?: number; timeoutMs?: number } = {}) {
    return await this.send(read(target, await this.token()), choices);
  }

  /** Sends a request as it is and says what came of it; never throws. */
  async send(
    request: RawRequest,
    { instance = 0, timeoutMs = TIMEOUT_MS }: { instance?: number; timeoutMs?: number } = {},
  ): Promise<Reply> {
    const startedMs = performance.now();
    const idle = this.#idle.get(instance) ?? [];
    this.#idle.set(instance, idle);
    let connection = idle.pop();
    // The server ends one that nobody has used for a while.
    while (connection && !connection.isOpen()) connection = idle.pop();
    try {
      // The handshake is not what the caller is impatient about.
      const patienceMs = Math.max(timeoutMs, OPENING_TIMEOUT_MS);
      connection ??= await within("timeout", patienceMs, this.#open(instance));
      const answer = await within("timeout", timeoutMs, connection.send(request));
      if (answer.headers.get("connection")?.toLowerCase() === "close") connection.close();
      else idle.push(connection);
      return replyOf(answer, performance.now() - startedMs);
    } catch (error) {
      connection?.close();
      const code = (error as Error).message.startsWith("timeout") ? "timeout" : "broken";
      return noReply(code, performance.now() - startedMs);
    }
  }

  /** Closes what is kept open. */
  close(instance?: number): void {
    for (const [number, idle] of this.#idle) {
      if (instance !== undefined && number !== instance) continue;
      for (const connection of idle.splice(0)) connection.close();
    }
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

function replyOf({ status, headers, body }: RawResponse, ms: number): Reply {
  const code = status < 300 ? "ok" : codeOf(body);
  // A refusal of these codes promises that nothing was done.
  const unknown = status === 500 || code === "outcome_unknown" || code === "";
  return {
    outcome: code === "ok" ? "ok" : unknown ? "unknown" : "fail",
    status,
    code,
    body,
    isReplay: headers.get("idempotent-replayed") === "true",
    retryAfter: headers.get("retry-after"),
    ms,
  };
}

function noReply(code: string, ms: number): Reply {
  const none = { status: 0, body: "", isReplay: false, retryAfter: undefined };
  return { outcome: "unknown", code, ms, ...none };
}

function codeOf(body: string): string {
  try {
    return String(objectOf({ body }).get("code") ?? "");
  } catch {
    return "";
  }
}

export function idOf(reply: Pick<Reply, "body">): string {
  return String(objectOf(reply).get("id"));
}
