import {
  canonicalJson,
  canonicalString,
  checkSignedHeaders,
  decodeHex,
  encodeUtf8,
  type Environment,
  HEADER,
  parseDetached,
  parseJson,
  sha256Hex,
  signRequest,
  type VerificationKey,
  verifySignedRequest,
} from "@sabika/protocol";
import { isAssertedBy, originOf, parseAssertion } from "./assertion.ts";

/** The arguments of an act: JSON, with amounts as decimal texts, never a secret. */
export interface ActArguments {
  readonly [name: string]: ArgumentValue;
}

type ArgumentValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly ArgumentValue[]
  | ActArguments;

/** An act as a person signed it (Decision D79). */
export interface SignedAct {
  /** A UUID: the request's id, good once. */
  readonly id: string;
  readonly name: string;
  /** Canonical JSON. */
  readonly argumentsText: string;
  /** Whole seconds of the epoch, in milliseconds. */
  readonly signedAtMs: number;
  /** A detached JWS with the key's id, or a passkey's assertion as one text. */
  readonly signature: string;
}

/** A person's private key. */
export interface PersonsKey {
  /** RFC 7638 thumbprint. */
  readonly keyId: string;
  readonly privateKey: CryptoKey;
}

/** The canonical JSON of arguments, without those that are undefined. */
export function argumentsText(values: ActArguments): string {
  return canonicalJson(parseJson(JSON.stringify(values)));
}

/**
 * Signs an act as partners sign requests (Decision D79): the method is `ACT`, the URL
 * `sabika:<environment>/<name>`, the body the arguments, the nonce the act's id.
 *
 * @param act.id a UUID that no act had before
 */
export async function signAct(
  environment: Environment,
  act: { id: string; name: string; arguments: ActArguments },
  key: PersonsKey,
  nowMs: number,
): Promise<SignedAct> {
  const text = argumentsText(act.arguments);
  const timestampSeconds = Math.floor(nowMs / 1000);
  const headers = await signRequest({
    ...request(environment, act.name),
    body: encodeUtf8(text),
    timestampSeconds,
    nonce: act.id,
    ...key,
  });
  return {
    id: act.id,
    name: act.name,
    argumentsText: text,
    signedAtMs: timestampSeconds * 1000,
    signature: headers[HEADER.jwsSignature],
  };
}

/** A key that verifies acts; for a passkey with the host that it is bound to. */
export interface ActKey extends VerificationKey {
  readonly rpId: string | null;
}

/** The id of the key that a signature names; undefined when the signature does not have an act's form. */
export function keyIdOf({ signature }: Pick<SignedAct, "signature">): string | undefined {
  const asserted = parseAssertion(signature);
  if (asserted !== undefined) return asserted.keyId;
  const jws = parseDetached(signature);
  return jws.ok ? jws.keyId : undefined;
}

/** The origin of the page on which a passkey signed; undefined for another key's signature. */
export function signedFrom({ signature }: Pick<SignedAct, "signature">): string | undefined {
  const asserted = parseAssertion(signature);
  return asserted && originOf(asserted.assertion);
}

/**
 * SHA-256 of the string that was signed, lower-case hex: what a second person approves, and what a
 * passkey gets as its challenge.
 */
export async function contentOf(
  environment: Environment,
  { id, name, argumentsText, signedAtMs }: Omit<SignedAct, "signature">,
): Promise<string> {
  return await sha256Hex(encodeUtf8(canonicalString({
    ...request(environment, name),
    bodySha256: await sha256Hex(encodeUtf8(argumentsText)),
    timestamp: String(signedAtMs / 1000),
    nonce: id,
  })));
}

/**
 * SHA-256, lower-case hex, of a list of acts: what a passkey gets as its challenge that signs them together
 * (Decision D99). The first line is none of a single act's.
 *
 * @param contents the {@linkcode contentOf} each
 */
export async function contentOfAll(contents: readonly string[]): Promise<string> {
  return await sha256Hex(encodeUtf8(["ACTS", ...contents].join("\n")));
}

/** Whether the key signed exactly this act, alone or together with others, in this environment. */
export async function isSignedBy(
  key: ActKey,
  environment: Environment,
  act: SignedAct,
): Promise<boolean> {
  const { id, name, argumentsText, signedAtMs, signature } = act;
  const { rpId } = key;
  if (rpId !== null) {
    const asserted = parseAssertion(signature);
    if (asserted?.keyId !== key.keyId) return false;
    const { assertion, together } = asserted;
    const content = await contentOf(environment, act);
    if (together.length > 0 && !together.includes(content)) return false;
    const challenge = together.length > 0 ? await contentOfAll(together) : content;
    return await isAssertedBy({ publicKey: key.publicKey, rpId }, decodeHex(challenge)!, assertion);
  }
  const timestamp = String(signedAtMs / 1000);
  const headers = checkSignedHeaders({ timestamp, nonce: id, signature });
  if (!headers.ok) return false;
  const { method, url } = request(environment, name);
  const verified = await verifySignedRequest({
    method,
    baseUrl: "",
    target: url,
    bodySha256: await sha256Hex(encodeUtf8(argumentsText)),
    headers,
    keys: [key],
  });
  return verified.ok;
}

function request(environment: Environment, name: string) {
  return { method: "ACT", url: `sabika:${environment}/${name}` };
}
