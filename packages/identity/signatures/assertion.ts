import {
  decodeBase64Url,
  decodeUtf8,
  encodeBase64Url,
  encodeUtf8,
  equalInConstantTime,
  rawSignatureFromDer,
  type VerificationKey,
} from "@sabika/protocol";

/** What a passkey signed (Web Authentication Level 2 §5.2.2), as it came from the browser. */
export interface Assertion {
  readonly authenticatorData: Uint8Array;
  readonly clientDataJson: Uint8Array;
  /** DER. */
  readonly signature: Uint8Array;
}

/** The beginning of an act's signature that is a passkey's assertion. */
const PREFIX = "webauthn.";
const FLAGS_AT = 32;
/** The flags for user presence and user verification (§6.1). */
const PRESENT_AND_VERIFIED = 0x05;
const AUTHENTICATOR_DATA_MIN_BYTES = 37;

/**
 * An assertion as one text: `webauthn.KEY_ID.AUTHENTICATOR_DATA.CLIENT_DATA.SIGNATURE`, base64url. Of several acts
 * that were signed together (Decision D99) their hashes follow, in hex.
 */
export function formatAssertion(
  keyId: string,
  assertion: Assertion,
  together: readonly string[] = [],
): string {
  const { authenticatorData, clientDataJson, signature } = assertion;
  const parts = [authenticatorData, clientDataJson, signature].map(encodeBase64Url);
  return [`${PREFIX}${keyId}`, ...parts, ...together].join(".");
}

/** Reads back what `formatAssertion` wrote; undefined for anything else. */
export function parseAssertion(
  text: string,
): { keyId: string; assertion: Assertion; together: readonly string[] } | undefined {
  if (!text.startsWith(PREFIX)) return undefined;
  const [keyId, ...parts] = text.slice(PREFIX.length).split(".");
  const [authenticatorData, clientDataJson, signature] = parts.slice(0, 3).map(decodeBase64Url);
  if (!authenticatorData || !clientDataJson || !signature) return undefined;
  const together = parts.slice(3);
  if (!together.every((hash) => /^[0-9a-f]{64}$/.test(hash))) return undefined;
  return { keyId: keyId!, assertion: { authenticatorData, clientDataJson, signature }, together };
}

/**
 * The origin of the page that asked for an assertion; undefined when it says none. The browser
 * writes it, and lets only pages of the passkey's own host ask.
 */
export function originOf({ clientDataJson }: Assertion): string | undefined {
  const origin = readClientData(clientDataJson)?.["origin"];
  return typeof origin === "string" ? origin : undefined;
}

/** The challenge that an assertion answers. */
export function challengeOf({ clientDataJson }: Assertion): Uint8Array | undefined {
  const challenge = readClientData(clientDataJson)?.["challenge"];
  return typeof challenge === "string" ? decodeBase64Url(challenge) : undefined;
}

/**
 * Whether a passkey answered this challenge, with its person present and verified (Web
 * Authentication Level 2 §7.2, steps 11 to 20 but for the origin, which only the service knows, and
 * the counter, which passkeys that are synchronised do not have).
 *
 * @param key.rpId the host that the passkey is bound to; a key without one is no passkey
 */
export async function isAssertedBy(
  { publicKey, rpId }: Pick<VerificationKey, "publicKey"> & { readonly rpId: string },
  challenge: Uint8Array,
  assertion: Assertion,
): Promise<boolean> {
  const { authenticatorData, clientDataJson } = assertion;
  const clientData = readClientData(clientDataJson);
  const answered = challengeOf(assertion);
  if (clientData?.["type"] !== "webauthn.get" || clientData["crossOrigin"] === true) return false;
  if (answered === undefined || !equalInConstantTime(challenge, answered)) return false;
  if (authenticatorData.length < AUTHENTICATOR_DATA_MIN_BYTES) return false;
  const rpIdHash = await sha256(encodeUtf8(rpId));
  if (!equalInConstantTime(rpIdHash, authenticatorData.subarray(0, FLAGS_AT))) return false;
  if ((authenticatorData[FLAGS_AT]! & PRESENT_AND_VERIFIED) !== PRESENT_AND_VERIFIED) return false;
  const signature = rawSignatureFromDer(assertion.signature);
  if (signature === undefined) return false;
  const clientDataHash = await sha256(clientDataJson);
  const signed = new Uint8Array(authenticatorData.length + clientDataHash.length);
  signed.set(authenticatorData);
  signed.set(clientDataHash, authenticatorData.length);
  const es256 = { name: "ECDSA", hash: "SHA-256" };
  return await crypto.subtle.verify(es256, publicKey, signature, signed);
}

function readClientData(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(decodeUtf8(bytes) ?? "");
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes.slice()));
}
