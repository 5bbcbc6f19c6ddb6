import { sha256Hex } from "../canonical/mod.ts";
import {
  decodeHex,
  decodeUtf8,
  encodeBase64,
  encodeBase64Url,
  encodeHex,
  encodeUtf8,
} from "./bytes.ts";
import type { DiagnosisForm } from "./diagnosis_forms.ts";
import { parseJson } from "./parse_json.ts";
import { parseUnixSeconds } from "./times.ts";

/** The parts of the string to be signed. */
export interface StringToDiagnose {
  /** The HTTP method. */
  readonly method: string;
  /** From configuration, without a slash at its end. */
  readonly baseUrl: string;
  /** Path and query as received. */
  readonly target: string;
  /** The bytes of the body. */
  readonly body: Uint8Array;
  /** `X-Timestamp` as received. */
  readonly timestamp: string;
  /** `X-Nonce` as received. */
  readonly nonce: string;
  /** Hosts that the partner may have signed, such as the request's own `Host`. */
  readonly otherHosts?: readonly string[];
  /** Other values that may have been signed as the nonce, such as the `Idempotency-Key`. */
  readonly otherNonces?: readonly string[];
}

/** A string that may have been signed, and the mistake that leads to it. */
export interface Candidate {
  readonly form: DiagnosisForm;
  readonly text: string;
}

type Parts = readonly [method: string, url: string, hash: string, timestamp: string, nonce: string];

/**
 * Returns the right strings (form `correct`), and then wrong ones, the likeliest first. Each has a single
 * mistake, which explains nearly every first attempt.
 */
export async function candidateStrings(request: StringToDiagnose): Promise<Candidate[]> {
  const { method, baseUrl, target, body, timestamp, nonce, otherNonces = [] } = request;
  const hash = await sha256Hex(body);
  const rightUrls = [baseUrl + target, target];
  const nonces = new Set([...otherNonces, "", nonce.toLowerCase(), nonce.toUpperCase()]);
  nonces.add(nonce.replaceAll("-", "")).delete(nonce);
  const hashes = await wrongHashes(body, hash);
  const candidates: Candidate[] = [];
  const add = (form: DiagnosisForm, parts: Parts, separator = "\n", end = ""): void => {
    candidates.push({ form, text: parts.join(separator) + end });
  };

  for (const url of rightUrls) add("correct", [method, url, hash, timestamp, nonce]);
  for (const [form, url] of wrongUrls(request)) add(form, [method, url, hash, timestamp, nonce]);
  for (const url of rightUrls) {
    const right: Parts = [method, url, hash, timestamp, nonce];
    add("method_lower_case", [method.toLowerCase(), url, hash, timestamp, nonce]);
    add("method_other", ["GET", url, hash, timestamp, nonce]);
    for (const [form, wrong] of hashes) add(form, [method, url, wrong, timestamp, nonce]);
    add("timestamp_milliseconds", [method, url, hash, `${timestamp}000`, nonce]);
    add("final_line_feed", right, "\n", "\n");
    add("line_ends_crlf", right, "\r\n");
    add("line_ends_crlf", right, "\r\n", "\r\n");
    for (let i = 0; i < right.length; i++) {
      for (let j = i + 1; j < right.length; j++) add("parts_swapped", swapped(right, i, j));
    }
    for (const other of nonces) add("nonce_other", [method, url, hash, timestamp, other]);
  }
  // These are many, so they come last, for each form of the URL in turn.
  for (const url of rightUrls) {
    for (const other of otherTimestamps(timestamp)) {
      add("timestamp_other", [method, url, hash, other, nonce]);
    }
  }
  return candidates;
}

/** Common differences: between two readings of a clock, of a wrong clock, and of a time zone. */
const OTHER_SECONDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 30, 60, 120, 300, 600, 3_600, 10_800];

function otherTimestamps(timestamp: string): string[] {
  const seconds = parseUnixSeconds(timestamp);
  if (seconds === undefined) return [""];
  return ["", ...OTHER_SECONDS.flatMap((off) => [String(seconds - off), String(seconds + off)])];
}

/** Paths that may have been signed instead of the one called. */
const SIGNED_PATHS = ["/v1/orders", "/v1/withdrawals", "/v1/signed-probe", "/v1/quotes", "/", ""];

function wrongUrls(request: StringToDiagnose): (readonly [DiagnosisForm, string])[] {
  const { baseUrl, target, otherHosts = [] } = request;
  const [, scheme = "", authority = "", basePath = ""] =
    /^([a-z]+):\/\/([^/]*)(.*)$/.exec(baseUrl) ?? [];
  const queryAt = target.indexOf("?");
  const path = queryAt < 0 ? target : target.slice(0, queryAt);
  const query = queryAt < 0 ? "" : target.slice(queryAt);
  const slashed = (path.endsWith("/") ? path.slice(0, -1) : `${path}/`) + query;
  const withoutFirstSegment = target.replace(/^\/[^/?]*/, "");
  const host = authority.replace(/:\d+$/, "");

  const urls: (readonly [DiagnosisForm, string])[] = [];
  for (const other of ["https", "http"]) {
    if (other !== scheme) urls.push(["url_scheme", `${other}://${authority}${basePath}${target}`]);
  }
  const hosts = new Set([host, `${host}:443`, `${host}:8443`, "localhost", "127.0.0.1"]);
  const port = authority.slice(host.length);
  for (const other of [...hosts, `localhost${port}`, `127.0.0.1${port}`, ...otherHosts]) {
    if (other !== authority) urls.push(["url_host", `${scheme}://${other}${basePath}${target}`]);
  }
  if (basePath !== "") {
    urls.push(["url_base_path", `${scheme}://${authority}${target}`]);
    urls.push(["url_base_path", basePath + target]);
  }
  if (withoutFirstSegment !== "") {
    urls.push(["url_base_path", baseUrl + withoutFirstSegment]);
    urls.push(["url_base_path", withoutFirstSegment]);
  }
  if (query !== "") {
    urls.push(["url_without_query", baseUrl + path], ["url_without_query", path]);
  }
  urls.push(["url_trailing_slash", baseUrl + slashed], ["url_trailing_slash", slashed]);
  for (const other of SIGNED_PATHS) {
    if (other !== path) urls.push(["url_path", baseUrl + other], ["url_path", other]);
  }
  return urls;
}

async function wrongHashes(
  body: Uint8Array,
  hash: string,
): Promise<(readonly [DiagnosisForm, string])[]> {
  const digest = decodeHex(hash)!;
  const hashes: (readonly [DiagnosisForm, string])[] = [
    ["body_hash_upper_case", hash.toUpperCase()],
    ["body_hash_base64", encodeBase64(digest)],
    ["body_hash_base64", encodeBase64Url(digest)],
    ["body_hash_of_nothing", await sha256Hex(new Uint8Array())],
    ["body_hash_of_nothing", ""],
    ["double_hash", await sha256Hex(digest)],
    ["double_hash", await sha256Hex(encodeUtf8(hash))],
  ];
  for (const other of ["SHA-512", "SHA-384", "SHA-1"]) {
    const bytes = new Uint8Array(await crypto.subtle.digest(other, Uint8Array.from(body)));
    hashes.push(["body_hash_not_sha256", encodeHex(bytes)]);
  }
  const text = decodeUtf8(body);
  if (text !== undefined && text !== "") hashes.push(["body_not_hashed", text]);
  for (const text of otherJsonTexts(body)) {
    hashes.push(["body_hash_of_reserialised_json", await sha256Hex(encodeUtf8(text))]);
  }
  return hashes.filter(([, wrong]) => wrong !== hash);
}

/**
 * Longer bodies are not serialised again. No request of this contract is as long, and an indented
 * text can be longer by the body's length times its depth.
 */
const RESERIALISED_MAX_BYTES = 4_096;

/** Writes the JSON of a body as common libraries serialise it, and as editors and curl end it. */
function otherJsonTexts(body: Uint8Array): string[] {
  const text = body.length > RESERIALISED_MAX_BYTES ? undefined : decodeUtf8(body);
  if (text === undefined) return [];
  const trimmed = text.trim();
  const texts = [trimmed, `${trimmed}\n`, `${trimmed}\r\n`];
  try {
    parseJson(text); // refuses what is nested too deep, before anything is indented by its depth
    const value: unknown = JSON.parse(text);
    for (const json of [value, sortedMembers(value)]) {
      texts.push(
        JSON.stringify(json),
        JSON.stringify(json, null, 2),
        JSON.stringify(json, null, 4),
      );
      // Python's json.dumps puts a blank after each comma and colon.
      texts.push(spaced(json));
    }
  } catch {
    // Not JSON: a probe's body may be anything, and then there is nothing to serialise.
  }
  return texts;
}

/** Sorts the members of the top level by name; bodies of this contract have no others. */
function sortedMembers(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1));
}

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) =>
    `${JSON.stringify(name)}: ${spaced(member)}`
  );
  return `{${members.join(", ")}}`;
}

function swapped(parts: Parts, i: number, j: number): Parts {
  const other: [string, string, string, string, string] = [...parts];
  [other[i], other[j]] = [other[j]!, other[i]!];
  return other;
}
