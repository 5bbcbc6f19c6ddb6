import {
  canonicalString,
  checkSignedHeaders,
  encodeBase64Url,
  encodeUtf8,
  sha256Hex,
} from "@sabika/protocol";
import { signDeterministically } from "./deterministic_signature.ts";
import { SIGNER } from "./published_keys.ts";
import type { VectorFile } from "./vector_file.ts";

const NONCE = "5f3c1e0a9b7d42648c5fe0d1a2b3c4d5";
const ORDERS = "https://sandbox.sabika.example/v1/orders";
const TIMESTAMP = "1795167000";

/** A request as its sender has it. `body` stands for its UTF-8. */
interface SentRequest {
  readonly name: string;
  readonly method?: string;
  readonly url?: string;
  readonly body?: string;
  readonly timestamp?: string;
  readonly nonce?: string;
}

const REQUESTS: readonly SentRequest[] = [
  { name: "an order", body: '{"quote_id":"qt_01a1f85e-29a6-7440-a1da-ccc3cd98406e"}' },
  { name: "the same body with a blank is another body", body: '{"quote_id": "qt_01a1f85e"}' },
  { name: "the path alone in place of the absolute URL", url: "/v1/orders", body: "{}" },
  { name: "a port in the URL", url: "https://127.0.0.1:8443/v1/withdrawals", body: "{}" },
  { name: "a query", url: `${ORDERS}?trial=1&note=a%20b`, body: "{}" },
  { name: "a URL is not normalised", url: `${ORDERS}/../orders/?B=2&a=%7e`, body: "{}" },
  { name: "an empty body", body: "" },
  { name: "a body beyond ASCII", body: '{"client_reference":"سبيكة \u{1f947}"}' },
  { name: "line ends in the body stay as they are", body: '{\r\n  "hello": "sabika"\n}\n' },
  { name: "another method", method: "GET", body: "" },
  { name: "a nonce of all kinds of characters", nonce: "!#$%&'*+-.^_`|~09AZaz", body: "{}" },
  { name: "the longest timestamp", timestamp: "99999999999", body: "{}" },
];

/** Parts that must not be joined: a second request could have the same string. */
const LINE_FEEDS: readonly SentRequest[] = [
  { name: "a line feed in the method", method: "POST\n/v1/orders" },
  { name: "a line feed in the URL", url: `${ORDERS}\nabc` },
  { name: "a line feed in the timestamp", timestamp: `${TIMESTAMP}\n1` },
  { name: "a line feed in the nonce", nonce: `${NONCE}\n` },
];

const HEADERS: readonly (readonly [name: string, timestamp: string, nonce: string])[] = [
  ["both right", TIMESTAMP, NONCE],
  ["the shortest nonce", TIMESTAMP, "0123456789abcdef"],
  ["the longest nonce", TIMESTAMP, "n".repeat(128)],
  ["no timestamp", "", NONCE],
  ["milliseconds", `${TIMESTAMP}000`, NONCE],
  ["a fraction", `${TIMESTAMP}.5`, NONCE],
  ["a leading zero", `0${TIMESTAMP}`, NONCE],
  ["a plus sign", `+${TIMESTAMP}`, NONCE],
  ["a negative time", "-1", NONCE],
  ["a date", "2026-11-20T09:30:00Z", NONCE],
  ["no nonce", TIMESTAMP, ""],
  ["a nonce of 15 characters", TIMESTAMP, "0123456789abcde"],
  ["a nonce of 129 characters", TIMESTAMP, "n".repeat(129)],
  ["a blank in the nonce", TIMESTAMP, "0123456789 abcdef"],
  ["a nonce beyond ASCII", TIMESTAMP, "0123456789abcdefé"],
];

/** canonical_string.json: requests, their canonical strings, and the signature over each. */
export async function canonicalStringVectors(): Promise<VectorFile> {
  const protectedSegment = encodeBase64Url(
    encodeUtf8('{"alg":"ES256","b64":false,"crit":["b64"]}'),
  );
  const vectors = [];
  for (const request of REQUESTS) {
    const { name, body, ...parts } = withDefaults(request);
    const bodySha256 = await sha256Hex(encodeUtf8(body));
    const canonical = canonicalString({ ...parts, bodySha256 });
    vectors.push({
      name,
      ...parts,
      body,
      body_sha256: bodySha256,
      canonical,
      canonical_sha256: await sha256Hex(encodeUtf8(canonical)),
      jws: signDeterministically(SIGNER, protectedSegment, canonical),
    });
  }
  return {
    about: "The string that a request is signed over: method, URL, body hash, timestamp and " +
      "nonce, joined by line feeds. jws is a signature over it by the key signer of keys.json " +
      "(RFC 6979). headers: what X-Timestamp and X-Nonce may be; refusal null is accepted.",
    source: "Specification §5 Signed requests; Decisions D20, D21, D24, D25",
    key: SIGNER.name,
    vectors,
    refused: await Promise.all(LINE_FEEDS.map(async (request) => {
      const { name, body, ...parts } = withDefaults(request);
      const bodySha256 = await sha256Hex(encodeUtf8(body));
      return { name, ...parts, body, refusal: refusalOf({ ...parts, bodySha256 }) };
    })),
    headers: HEADERS.map(([name, timestamp, nonce]) => {
      const signature = `${protectedSegment}..${"A".repeat(42)}E${"A".repeat(42)}Q`;
      const checked = checkSignedHeaders({ timestamp, nonce, signature });
      return { name, timestamp, nonce, refusal: checked.ok ? null : checked.code };
    }),
  };
}

function withDefaults(request: SentRequest): Required<SentRequest> {
  const defaults = { method: "POST", url: ORDERS, timestamp: TIMESTAMP, nonce: NONCE, body: "{}" };
  return { ...defaults, ...request };
}

function refusalOf(parts: Parameters<typeof canonicalString>[0]): "line_feed" | null {
  try {
    canonicalString(parts);
    return null;
  } catch (error) {
    if (error instanceof RangeError) return "line_feed";
    throw error;
  }
}
