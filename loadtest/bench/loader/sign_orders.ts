import { HEADER, signRequest } from "../../../packages/protocol/mod.ts";
import type { Job, Lane } from "./job.ts";

const PATH = "/v1/orders";
const IN_FLIGHT = 64;

/**
 * Signs all requests of a job and encodes them as HTTP/1.1. They are made ahead, because signing costs about
 * as much as verifying. They are valid for 300 s.
 */
export async function signOrders(job: Job, nowSeconds: number): Promise<Uint8Array[]> {
  const keys = await Promise.all(job.lanes.map((lane) => importSigningKey(lane.signingKey)));
  const plan: { lane: Lane; key: CryptoKey; quoteId: string }[] = [];
  const longest = Math.max(...job.lanes.map((lane) => lane.quoteIds.length));
  for (let turn = 0; turn < longest; turn++) {
    job.lanes.forEach((lane, index) => {
      const quoteId = lane.quoteIds[turn];
      if (quoteId !== undefined) plan.push({ lane, key: keys[index]!, quoteId });
    });
  }
  const requests = new Array<Uint8Array>(plan.length);
  let next = 0;
  const worker = async () => {
    while (next < plan.length) {
      const index = next++;
      const { lane, key, quoteId } = plan[index]!;
      requests[index] = await signOrder(job.baseUrl, lane, key, quoteId, nowSeconds);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  return requests;
}

async function signOrder(
  baseUrl: string,
  lane: Lane,
  privateKey: CryptoKey,
  quoteId: string,
  timestampSeconds: number,
): Promise<Uint8Array> {
  const body = Buffer.from(JSON.stringify({ quote_id: quoteId }));
  const signed = await signRequest({
    method: "POST",
    url: baseUrl + PATH,
    body,
    timestampSeconds,
    nonce: crypto.randomUUID(),
    privateKey,
    keyId: lane.signingKeyId,
  });
  return postBytes(PATH, {
    host: baseUrl.replace(/^https?:\/\//, ""),
    [HEADER.authorization]: `Bearer ${lane.accessToken}`,
    [HEADER.idempotencyKey]: crypto.randomUUID(),
    [HEADER.contentType]: "application/json",
    ...lane.headers,
    ...signed,
  }, body);
}

/** Encodes a POST request and adds its Content-Length. */
function postBytes(
  path: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
): Uint8Array {
  const lines = Object.entries({ ...headers, "content-length": String(body.length) })
    .map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return Buffer.concat([Buffer.from(`POST ${path} HTTP/1.1\r\n${lines}\r\n`), body]);
}

function importSigningKey(pem: string): Promise<CryptoKey> {
  const der = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ""), "base64");
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  return crypto.subtle.importKey("pkcs8", der, algorithm, false, ["sign"]);
}
