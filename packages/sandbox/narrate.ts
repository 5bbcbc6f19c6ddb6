import type { Exchange } from "@sabika/client";
import type { Delivery } from "./event_receiver.ts";

/** Headers that say something about the contract, in the order in which they are printed. */
const PRINTED = ["authorization", "idempotency-key", "x-timestamp", "x-nonce", "x-jws-signature"];
const LONGEST_BODY = 320;
const LONGEST_VALUE = 60;
/** Only the beginning of a signature is printed. */
const LONGEST_SIGNATURE = 24;

/** Describes a request and its answer, line by line: without secrets, long values shortened. */
export function narrateExchange(exchange: Exchange): string[] {
  const { method, url, headers, body, status, answer, milliseconds, replayed } = exchange;
  const isToken = url.endsWith("/oauth/token");
  const lines = [`  > ${method} ${url}`];
  for (const name of PRINTED) {
    const value = headers[name];
    if (value !== undefined) lines.push(`  > ${name}: ${shortenHeader(name, value)}`);
  }
  if (isToken) lines.push("  > grant_type=client_credentials&client_id=…&client_secret=…");
  else if (body !== undefined) lines.push(`  > ${shorten(body, LONGEST_BODY)}`);
  if (status === 0) return [...lines, `  < no answer after ${milliseconds} ms`];
  lines.push(`  < ${status}${replayed ? " (replayed)" : ""} in ${milliseconds} ms`);
  if (isToken && status === 200) {
    lines.push('  < {"access_token":"…","token_type":"Bearer","expires_in":600}');
  } else if (answer !== undefined && answer !== "") {
    lines.push(`  < ${shorten(answer, LONGEST_BODY)}`);
  }
  return lines;
}

/** Describes a webhook as it arrived, line by line; long values are shortened. */
export function narrateDelivery({ headers, body }: Delivery): string[] {
  return [
    ...Object.entries(headers).map(([name, value]) => `  < ${name}: ${shortenHeader(name, value)}`),
    `  < ${shorten(body, LONGEST_BODY)}`,
  ];
}

function shortenHeader(name: string, value: string): string {
  return shorten(value, name === "webhook-signature" ? LONGEST_SIGNATURE : LONGEST_VALUE);
}

function shorten(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}
