import { encodeBase64, encodeBase64Url, encodeHex } from "@sabika/protocol";

/** A secret that was in use. Text is searched as it is, bytes in each of their usual encodings. */
export interface KnownSecret {
  kind: string;
  value: string | Uint8Array;
}

/** The place of a secret, without its text. */
export interface Finding {
  kind: string;
  /** The line's number, from 1. */
  line: number;
}

/** Patterns of texts that look like secrets. */
const LOOKS_LIKE: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ["something like a token or a signature", /eyJ[\w-]{6,}\.[\w-]*\.[\w-]{20,}/g],
  ["something like a bearer token", /Bearer ey/gi],
  ["something like a client secret", /sk_[\w-]{43}/g],
  ["something like a webhook secret", /whsec_[A-Za-z0-9+/]{16}/g],
  ["something like a private key", /PRIVATE KEY/g],
];

/** The text is examined in blocks of this many characters. */
const STEP = 8;
/** A secret of at least this length contains a whole block wherever it begins. */
const SHORTEST = 2 * STEP - 1;

/**
 * Makes a search for all of these secrets at once, and for texts that look like one. Its time grows with
 * the text, not with the number of secrets, because every possible block of the secrets is indexed.
 *
 * @throws RangeError if a secret is too short to be distinguished from other text
 */
export function createSecretSearch(secrets: Iterable<KnownSecret>): (text: string) => Finding[] {
  const blocks = new Map<string, { kind: string; form: string; offset: number }[]>();
  const known = new Set<string>();
  for (const { kind, value } of secrets) {
    for (const form of typeof value === "string" ? [value] : formsOf(value)) {
      if (form.length < SHORTEST) throw new RangeError(`too short to be searched for: ${kind}`);
      if (known.has(form)) continue;
      known.add(form);
      for (let offset = 0; offset < STEP; offset++) {
        const block = form.slice(offset, offset + STEP);
        const entries = blocks.get(block);
        if (entries === undefined) blocks.set(block, [{ kind, form, offset }]);
        else entries.push({ kind, form, offset });
      }
    }
  }
  return (text) => {
    const found: { kind: string; at: number }[] = [];
    for (let at = 0; at + STEP <= text.length; at += STEP) {
      for (const { kind, form, offset } of blocks.get(text.slice(at, at + STEP)) ?? []) {
        if (text.startsWith(form, at - offset)) found.push({ kind, at: at - offset });
      }
    }
    for (const [kind, pattern] of LOOKS_LIKE) {
      for (const { index } of text.matchAll(pattern)) found.push({ kind, at: index });
    }
    return inLines(text, found);
  };
}

/** Encodes bytes as hex, and as base64 for each offset that they may have in a longer value. */
function formsOf(bytes: Uint8Array): string[] {
  const hex = encodeHex(bytes);
  const forms = [hex, hex.toUpperCase()];
  for (const start of [0, 1, 2]) {
    const whole = bytes.subarray(start, start + 3 * Math.floor((bytes.length - start) / 3));
    forms.push(encodeBase64(whole), encodeBase64Url(whole));
  }
  return forms;
}

/** Returns one finding for each kind in each line, in the order of the text. */
function inLines(text: string, found: { kind: string; at: number }[]): Finding[] {
  const findings = new Map<string, Finding>();
  let [line, counted] = [1, 0];
  for (const { kind, at } of found.sort((a, b) => a.at - b.at)) {
    for (; counted < at; counted++) if (text[counted] === "\n") line++;
    findings.set(`${line} ${kind}`, { kind, line });
  }
  return [...findings.values()];
}
