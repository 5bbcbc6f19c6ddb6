import { readSessionCookie } from "@sabika/office";
import { decodeBase64Url, encodeBase64Url, encodeUtf8 } from "@sabika/protocol";
import type { Call } from "../call.ts";
import type { Fields } from "./act_arguments.ts";

/** The longest address that a form may lead to; every proxy takes one of this length. */
export const LONGEST_ADDRESS = 7_000;

/** Reads a form's fields that stand in an address. */
export function fieldsIn(url: string): Fields {
  const fields: Record<string, string[]> = {};
  for (const [name, text] of new URL(url).searchParams) (fields[name] ??= []).push(text);
  return fields;
}

/** Writes a form's fields as a query, sorted by name. */
export function queryOf(fields: Fields): string {
  const pairs = Object.entries(fields).sort(([a], [b]) => a < b ? -1 : 1)
    .flatMap(([name, texts]) => texts.map((text) => [name, text]));
  return new URLSearchParams(pairs).toString();
}

/**
 * Takes out of a form what may stand in no address: private keys that were pasted by mistake. `private`
 * names their fields.
 */
export function withoutPrivateKeys(fields: Fields): Fields {
  const isPrivate = (texts: readonly string[]) =>
    texts.some((text) => text.includes("PRIVATE KEY"));
  const entries = Object.entries(fields);
  const names = entries.filter(([, texts]) => isPrivate(texts)).map(([name]) => name);
  if (names.length === 0) return fields;
  return {
    ...Object.fromEntries(entries.filter(([, texts]) => !isPrivate(texts))),
    private: names,
  };
}

/**
 * Seals the fields that a person sent, so that their address leads on in their session alone: elsewhere
 * it only fills in the form (Decision D97).
 */
export async function seal({ context }: Pick<Call, "context">, fields: Fields): Promise<Fields> {
  const key = await sealingKey(context, "sign");
  if (key === undefined) return fields;
  const mac = await crypto.subtle.sign("HMAC", key, encodeUtf8(queryOf(fields)));
  return { ...fields, seal: [encodeBase64Url(new Uint8Array(mac))] };
}

/** Whether this session sealed the fields. */
export async function isSealed({ context }: Pick<Call, "context">, all: Fields): Promise<boolean> {
  const { seal: [found = ""] = [], ...fields } = all;
  const mac = decodeBase64Url(found);
  const key = await sealingKey(context, "verify");
  return key !== undefined && mac !== undefined &&
    await crypto.subtle.verify("HMAC", key, mac, encodeUtf8(queryOf(fields)));
}

/** The key of the viewer's session; undefined without one. */
async function sealingKey(
  context: Call["context"],
  usage: "sign" | "verify",
): Promise<CryptoKey | undefined> {
  const session = readSessionCookie(context);
  if (session === undefined) return undefined;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  return await crypto.subtle.importKey("raw", encodeUtf8(session), algorithm, false, [usage]);
}
