import http, { type RefinedResponse } from "k6/http";
import { signRequest } from "../../packages/protocol/mod.ts";
import { importSigningKey, type Kit } from "./kit.ts";

/** An answer of the service, with its body as text. */
export type Answer = RefinedResponse<"text">;

/** The kinds of requests, by which thresholds are set. */
export type Kind = "health" | "token" | "read" | "fund" | "quote" | "order" | "probe" | "replay";

/** An access token and its expiry; passes through setup(). */
export interface Session {
  readonly accessToken: string;
  /** The expiry in epoch milliseconds. */
  readonly untilMs: number;
}

/** A signed request as it is sent; a replay sends it again byte for byte. */
export interface SignedRequest {
  path: string;
  body: string;
  nonce: string;
  signedAtMs: number;
  headers: Record<string, string>;
}

/** A partner in a VU, with a valid token and its signing key. */
export interface Partner {
  get(path: string, kind?: Kind): Answer;
  post(path: string, body: unknown, kind: Kind, headers?: Record<string, string>): Answer;
  /**
   * Signs a request without sending it.
   *
   * @param more.key its Idempotency-Key; none by default
   * @param more.nonce a nonce to use again; a new one by default
   */
  sign(
    path: string,
    body: unknown,
    more?: { key?: string; nonce?: string },
  ): Promise<SignedRequest>;
  /** Sends a request. `expected` is a further status that `http_req_failed` does not count as a failure. */
  send(request: SignedRequest, kind: Kind, expected?: number): Answer;
  /** Sends the same bytes a number of times at once. */
  sendAtOnce(request: SignedRequest, times: number): Answer[];
}

/** Requests an access token (Spec §5 Token); throws Error if it is refused. */
export function openSession(kit: Kit, baseUrl: string): Session {
  const answer = http.post(`${baseUrl}/oauth/token`, {
    grant_type: "client_credentials",
    client_id: kit.clientId,
    client_secret: kit.clientSecret,
  }, { tags: tagsOf("token"), responseType: "text" });
  if (answer.status !== 200) {
    throw new Error(`no access token from ${baseUrl}: ${describe(answer)}`);
  }
  const token = answer.json() as { access_token: string; expires_in: number };
  return { accessToken: token.access_token, untilMs: Date.now() + token.expires_in * 1000 };
}

/**
 * Makes a VU's partner.
 *
 * @param baseUrl where requests are sent; signatures have the kit's base URL (Decision D20)
 */
export function createPartner(kit: Kit, baseUrl: string, session: Session): Partner {
  let current = session;
  let signingKey: Promise<CryptoKey> | undefined;
  const bearer = () => {
    if (Date.now() > current.untilMs - 30_000) current = openSession(kit, baseUrl);
    return `Bearer ${current.accessToken}`;
  };
  const options = (kind: Kind, headers: Record<string, string>, expected?: number) => ({
    headers: { ...headers, authorization: bearer() },
    tags: tagsOf(kind),
    responseType: "text" as const,
    ...(expected === undefined ? {} : { responseCallback: http.expectedStatuses(expected) }),
  });
  return {
    get: (path, kind = "read") => http.get(baseUrl + path, options(kind, {})),
    post: (path, body, kind, headers = {}) =>
      http.post(baseUrl + path, JSON.stringify(body), options(kind, { ...JSON_TYPE, ...headers })),
    async sign(path, body, { key, nonce = crypto.randomUUID() } = {}) {
      signingKey ??= importSigningKey(kit);
      const text = JSON.stringify(body);
      const signedAtMs = Date.now();
      const signed = await signRequest({
        method: "POST",
        url: kit.baseUrl + path,
        body: new TextEncoder().encode(text),
        timestampSeconds: Math.floor(signedAtMs / 1000),
        nonce,
        privateKey: await signingKey,
        keyId: kit.signingKeyId,
      });
      const headers: Record<string, string> = { ...JSON_TYPE, ...signed };
      if (key !== undefined) headers["idempotency-key"] = key;
      return { path, body: text, nonce, signedAtMs, headers };
    },
    send: (request, kind, expected) =>
      http.post(baseUrl + request.path, request.body, options(kind, request.headers, expected)),
    sendAtOnce(request, times) {
      const params = { ...options("probe", request.headers), responseCallback: EITHER };
      const sent = { method: "POST", url: baseUrl + request.path, body: request.body, params };
      return http.batch(Array.from({ length: times }, () => sent)) as Answer[];
    },
  };
}

/** Returns whether an answer refuses a used nonce (Decision D32). */
export function refusesReplay(answer: Answer): boolean {
  return answer.status === 401 && codeOf(answer) === "nonce_reused";
}

/** Reads the code of a refusal (Decision D31); undefined if there is none. */
function codeOf(answer: Answer): string | undefined {
  try {
    return (answer.json() as { code?: string } | null)?.code;
  } catch {
    return undefined;
  }
}

/** Describes an answer for an error message, without its headers. */
export function describe(answer: Answer): string {
  return answer.status === 0
    ? `no answer (${answer.error})`
    : `${answer.status} ${codeOf(answer) ?? ""} ${String(answer.body ?? "").slice(0, 300)}`;
}

const JSON_TYPE = { "content-type": "application/json" };
const EITHER = http.expectedStatuses(200, 401);

function tagsOf(kind: Kind): Record<string, string> {
  return { kind, name: kind };
}
