import { openTransport } from "@sabika/client";
import type { FetchAnswer, Kit, Transport } from "@sabika/client";
import {
  encodeHex,
  encodeUtf8,
  FORM_MEDIA_TYPE,
  HEADER,
  HEALTH,
  JSON_MEDIA_TYPE,
  parseJson,
  signRequest,
  TOKEN,
  tokenRequestToForm,
} from "@sabika/protocol";
import { DOOR_CONTRACTS, type DoorContract, type OperationId, OPERATIONS } from "@sabika/reference";

/** A call as a reader of the reference filled it in. */
export interface TriedCall {
  readonly operation: OperationId;
  /** Parameters of path and query, by name; empty ones are left out. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The body, sent as it is. */
  readonly body?: string;
}

/** What was sent, without the token, and what came back. */
export interface TriedAnswer {
  readonly request: string;
  readonly status: number;
  readonly answer: string;
}

/** Makes calls with the credentials of a kit, one after the other. */
export interface Trial {
  run(call: TriedCall): Promise<TriedAnswer>;
  close(): Promise<void>;
}

/**
 * Opens a trial of a sandbox: `/docs` shows with it how a call is built from the kit and answered (Decision D118).
 *
 * @throws {TypeError} for a kit of production
 */
export function openTrial(kit: Kit, random: (length: number) => Uint8Array): Trial {
  if (kit.environment !== "sandbox") throw new TypeError("calls are tried in the sandbox alone");
  const transport = openTransport(kit);
  let token: string | undefined;
  return {
    async run(call) {
      token ??= await fetchToken(transport, kit);
      const tried = await send(transport, kit, call, token, random);
      if (tried.status === 401) token = undefined; // Expired, perhaps: the next call fetches another.
      return tried;
    },
    close: () => transport.close(),
  };
}

async function send(
  transport: Transport,
  kit: Kit,
  call: TriedCall,
  token: string,
  random: (length: number) => Uint8Array,
): Promise<TriedAnswer> {
  const { method, door, replies } = OPERATIONS[call.operation];
  const contract: DoorContract = DOOR_CONTRACTS[door];
  const target = targetOf(call);
  const url = kit.baseUrl + target;
  const body = method === "POST" ? encodeUtf8(call.body ?? "") : undefined;
  const headers: Record<string, string> = {
    accept: replies[0]!.contents[0]!.mediaType,
    ...body && { [HEADER.contentType]: JSON_MEDIA_TYPE },
    ...contract.token !== "none" && { [HEADER.authorization]: `Bearer ${token}` },
    ...contract.needsKey && { [HEADER.idempotencyKey]: encodeHex(random(16)) },
  };
  if (contract.isSigned) {
    const signed = await signRequest({
      method,
      url,
      body: body ?? new Uint8Array(),
      timestampSeconds: await sandboxSeconds(transport, kit),
      nonce: encodeHex(random(16)),
      privateKey: kit.signingKey,
      keyId: kit.signingKeyId,
    });
    Object.assign(headers, signed);
  }
  const answer = await ask(transport, url, method, headers, body);
  const shown = Object.entries(headers).map(([name, value]) =>
    `${name}: ${name === HEADER.authorization ? "Bearer …" : value}`
  );
  return {
    request: [`${method} ${target}`, ...shown, "", ...body ? [call.body ?? ""] : []].join("\n"),
    status: answer.status,
    answer: await answer.text(),
  };
}

/** Makes path and query. An empty parameter is left out of the query. */
function targetOf({ operation, parameters }: TriedCall): string {
  const query = new URLSearchParams();
  let { path } = OPERATIONS[operation] as { path: string };
  for (const [name, value] of Object.entries(parameters)) {
    if (path.includes(`{${name}}`)) path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (value !== "") query.set(name, value);
  }
  return query.size > 0 ? `${path}?${query}` : path;
}

/** Asks the sandbox for its time, which a scenario may have moved on (Decision D111). */
async function sandboxSeconds(transport: Transport, kit: Kit): Promise<number> {
  const answer = await ask(transport, `${kit.baseUrl}/health`, "GET", {});
  const health = HEALTH.read(parseJson(await answer.text()));
  if (health.status !== "ok") throw new Error("the sandbox is not available");
  return Math.floor(health.serverTimeMs / 1000);
}

async function fetchToken(transport: Transport, kit: Kit): Promise<string> {
  const headers = { [HEADER.contentType]: FORM_MEDIA_TYPE };
  const form = encodeUtf8(tokenRequestToForm(kit));
  const answer = await ask(transport, `${kit.baseUrl}/oauth/token`, "POST", headers, form);
  if (answer.status !== 200) throw new Error(`the token was refused with ${answer.status}`);
  return TOKEN.read(parseJson(await answer.text())).accessToken;
}

function ask(
  transport: Transport,
  url: string,
  method: string,
  headers: Record<string, string>,
  body?: Uint8Array<ArrayBuffer>,
): Promise<FetchAnswer> {
  const signal = AbortSignal.timeout(15_000);
  return transport.fetch(url, { method, headers, body, redirect: "manual", signal });
}
