import { canonicalString, sha256Hex } from "../canonical/mod.ts";
import {
  decodeBase64Url,
  type DetachedJws,
  type JwsRefusal,
  parseDetached,
  rawSignatureFromDer,
  verifyParsed,
} from "../jws/mod.ts";
import { decodeUtf8 } from "./bytes.ts";
import { type Diagnosis, DIAGNOSIS_MESSAGES, type DiagnosisForm } from "./diagnosis_forms.ts";
import { signedOtherwise } from "./signed_otherwise.ts";
import { checkSignedHeaders, type VerificationKey } from "./signed_request.ts";
import { candidateStrings, type StringToDiagnose } from "./wrong_strings.ts";

export type { StringToDiagnose } from "./wrong_strings.ts";

/** A refused signed request, as received. */
export interface SignatureToDiagnose extends StringToDiagnose {
  /** X-JWS-Signature as received; empty when it is missing. */
  readonly signature: string;
  /** The partner's active keys. */
  readonly keys: readonly VerificationKey[];
  /** The public keys of the partner's client certificates, which are sometimes used by mistake. */
  readonly clientKeys?: readonly CryptoKey[];
  /** The string that the signer claims to have signed, in base64url (`Sabika-Signed-String`). */
  readonly signedString?: string | undefined;
}

/** A timestamp of 12 digits or more is in milliseconds (or finer) in any year that matters. */
const MILLISECONDS = /^[0-9]{12,}$/;
/** Longer than any signature, in whatever encoding. */
const SIGNATURE_LETTERS_MAX = 512;

/**
 * Finds out why a signature does not fit: verifies it against the common wrong ways of signing, and names
 * the one that fits (Decision D15). `POST /v1/signed-probe` answers with it, and it works offline too. It
 * tries each active key, so a service limits how often a partner may ask.
 *
 * @example
 * const { form, canonicalString } = await diagnoseSignature({
 *   method: "POST",
 *   baseUrl: "https://127.0.0.1:8443",
 *   target: "/v1/orders",
 *   body,
 *   timestamp: headers["x-timestamp"],
 *   nonce: headers["x-nonce"],
 *   signature: headers["x-jws-signature"],
 *   keys: [{ keyId, publicKey }],
 * });
 */
export async function diagnoseSignature(request: SignatureToDiagnose): Promise<Diagnosis> {
  const form = await findForm(request);
  const expected = await expectedString(request);
  return {
    form,
    message: DIAGNOSIS_MESSAGES[form],
    ...(expected === undefined ? {} : { canonicalString: expected }),
  };
}

async function findForm(request: SignatureToDiagnose): Promise<DiagnosisForm> {
  const { keys, clientKeys = [] } = request;
  if (MILLISECONDS.test(request.timestamp)) return "timestamp_milliseconds";
  if (request.signature === "") return "signature_missing";
  const [protectedSegment = "", ...others] = request.signature.split(".");
  const signature = decodeLeniently(others.at(-1) ?? "", SIGNATURE_LETTERS_MAX);
  if (signature === undefined) return "signature_unreadable";
  if (signature.length !== 64) {
    return rawSignatureFromDer(signature) === undefined ? "signature_unreadable" : "signature_der";
  }

  const parsed = parseDetached(request.signature);
  // As received, even if a verifier must refuse it: the question is what the partner signed.
  const asSent: DetachedJws = { ok: true, protectedSegment, keyId: undefined, signature };
  const candidates = await candidateStrings(request);
  for (const { form, text } of candidates) {
    for (const { keyId, publicKey } of keys) {
      if (!await verifyParsed(asSent, text, publicKey)) continue;
      return form === "correct" ? rightString(parsed, keyId) : form;
    }
  }
  const right = candidates.filter(({ form }) => form === "correct").map(({ text }) => text);
  for (const text of right) {
    for (const { publicKey } of keys) {
      const form = await signedOtherwise(asSent, text, publicKey);
      if (form !== undefined) return form;
    }
    for (const publicKey of clientKeys) {
      if (await verifyParsed(asSent, text, publicKey)) return "client_key";
    }
  }
  return await diagnoseClaim(request, asSent, right) ??
    (parsed.ok && isUnknown(parsed.keyId, keys) ? "unregistered_key" : "unregistered_key_or_nonce");
}

/** Finds what can still be wrong when the right string was signed. */
function rightString(jws: DetachedJws | JwsRefusal, keyId: string): DiagnosisForm {
  if (!jws.ok) return "jws_form";
  return jws.keyId === undefined || jws.keyId === keyId ? "correct" : "other_key";
}

function isUnknown(keyId: string | undefined, keys: readonly VerificationKey[]): boolean {
  return keyId !== undefined && !keys.some((key) => key.keyId === keyId);
}

/** Names the first wrong line of the string that the signer claims; `unregistered_key` if no key fits it. */
async function diagnoseClaim(
  request: SignatureToDiagnose,
  asSent: DetachedJws,
  right: readonly string[],
): Promise<DiagnosisForm | undefined> {
  const bytes = request.signedString === undefined
    ? undefined
    : decodeLeniently(request.signedString, Infinity);
  const text = bytes && decodeUtf8(bytes);
  if (text === undefined) return undefined;
  // A shell may have added a line feed before encoding.
  for (const signed of [text, text.replace(/\r?\n$/, "")]) {
    for (const { publicKey } of request.keys) {
      if (await verifyParsed(asSent, signed, publicKey)) {
        return otherLine(signed.split("\n"), right);
      }
    }
  }
  return "unregistered_key";
}

const LINE_FORMS = [
  "method_other",
  "url_other",
  "body_hash_other",
  "timestamp_other",
  "nonce_other",
] as const;

function otherLine(lines: readonly string[], right: readonly string[]): DiagnosisForm {
  const expected = right.map((text) => text.split("\n"));
  if (lines.length !== LINE_FORMS.length) return "line_count";
  return LINE_FORMS.find((_, i) => expected.every((parts) => parts[i] !== lines[i])) ?? "url_other";
}

/** Decodes base64 of either alphabet, with or without padding: nothing is verified by it, only explained. */
function decodeLeniently(text: string, lettersMax: number): Uint8Array<ArrayBuffer> | undefined {
  if (text === "" || text.length > lettersMax) return undefined;
  const plain = text.replaceAll("+", "-").replaceAll("/", "_").replace(/[=\s]+$/, "");
  return decodeBase64Url(plain);
}

async function expectedString(request: SignatureToDiagnose): Promise<string | undefined> {
  const { method, baseUrl, target, body, timestamp, nonce } = request;
  const checked = checkSignedHeaders({ timestamp, nonce, signature: undefined });
  if (checked.ok || checked.code !== "signature_missing") return undefined;
  return canonicalString({
    method,
    url: baseUrl + target,
    bodySha256: await sha256Hex(body),
    timestamp,
    nonce,
  });
}
