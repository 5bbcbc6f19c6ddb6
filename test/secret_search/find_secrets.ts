import { encodeBase64, encodeBase64Url, encodeHex } from "@sabika/protocol";

/** A secret that was in use: text is searched as it stands, bytes in every form that they are written in. */
export interface KnownSecret {
  kind: string;
  value: string | Uint8Array;
}

/** Where a secret stands. Its text is told to nobody. */
export interface Finding {
  kind: string;
  /** From 1. */
  line: number;
}

/** What looks like a secret, whoever made it. */
const LOOKS_LIKE: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ["something like a token or a signature", /eyJ[\w-]{6,}\.[\w-]*\.[\w-]{20,}/g],
  ["something like a bearer token", /Bearer ey/gi],
  ["something like a client secret", /sk_[\w-]{43}/g],
  ["something like a webhook secret", /whsec_[A-Za-z0-9+/]{16}/g],
  ["something like a private key", /PRIVATE KEY/g],
];

/** A text is looked at in steps of so many letters, so many at a time. */
const STEP = 8;
/** What has as many letters cannot lie between two looks. */
const SHORTEST = 2 * STEP - 1;

/**
 * Makes a search for all of these secrets at once, and for what looks like one. Its time grows with the
 * text, not with the number of secrets: of each secret the blocks are known that a look can meet.
 *
 * @throws RangeError when a secret is too short to be told from anything else
 */
export function createSecretSearch(
  secrets: Iterable<KnownSecret>,
): (text: string) => Finding[] {
  const blocks = new Map<string, { kind: string; form: string; offset: number }[]>();
  const known = new Set<string>();
  for (const { kind, value } of secrets) {
    for (const form of typeof value === "string" ? [value] : formsOf(value)) {
      if (form.length < SHORTEST) throw new RangeError(`too short to be searched for: ${kind}`);
      if (known.has(form)) continue;
      known.add(form);
      for (let offset = 0; offset < STEP; offset++) {
        const block = form.slice(offset, offset + STEP);
        const here = blocks.get(block);
        if (here === undefined) blocks.set(block, [{ kind, form, offset }]);
        else here.push({ kind, form, offset });
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

/** Bytes as hex, and as base64 wherever in a longer value they begin. */
function formsOf(bytes: Uint8Array): string[] {
  const hex = encodeHex(bytes);
  const forms = [hex, hex.toUpperCase()];
  for (const start of [0, 1, 2]) {
    const whole = bytes.subarray(start, start + 3 * Math.floor((bytes.length - start) / 3));
    forms.push(encodeBase64(whole), encodeBase64Url(whole));
  }
  return forms;
}

/** One finding for each kind in each line, in the order of the text. */
function inLines(text: string, found: { kind: string; at: number }[]): Finding[] {
  const findings = new Map<string, Finding>();
  let [line, counted] = [1, 0];
  for (const { kind, at } of found.sort((a, b) => a.at - b.at)) {
    for (; counted < at; counted++) if (text[counted] === "\n") line++;
    findings.set(`${line} ${kind}`, { kind, line });
  }
  return [...findings.values()];
}
