import {
  decodeBase64Url,
  type DetachedJws,
  encodeBase64Url,
  type JwsRefusal,
  parseDetached,
  rawSignatureFromDer,
  verifyParsed,
} from "../jws/mod.ts";
import { encodeUtf8 } from "./bytes.ts";
import { type Diagnosis, DIAGNOSIS_MESSAGES, type DiagnosisForm } from "./diagnosis_forms.ts";
import type { VerificationKey } from "./signed_request.ts";
import { candidateStrings, type StringToDiagnose } from "./wrong_strings.ts";

/** A refused signed request, as far as its parts arrived. */
export interface SignatureToDiagnose extends StringToDiagnose {
  /** X-JWS-Signature as it came; empty when it is missing. */
  readonly signature: string;
  /** The partner's active keys. */
  readonly keys: readonly VerificationKey[];
}

/** A timestamp of 12 digits or more is in milliseconds (or finer) in any year that matters. */
const MILLISECONDS = /^[0-9]{12,}$/;
/** More letters than any signature has, in whatever encoding. */
const SIGNATURE_LETTERS_MAX = 512;

/**
 * Finds out why a signature does not fit: verifies the same signature against the common wrong ways
 * of building the string and names the one that fits (Decision D15). It tries each active key, so a
 * caller limits how often a partner may ask.
 */
export async function diagnoseSignature(request: SignatureToDiagnose): Promise<Diagnosis> {
  return diagnosis(await findForm(request));
}

async function findForm(request: SignatureToDiagnose): Promise<DiagnosisForm> {
  if (MILLISECONDS.test(request.timestamp)) return "timestamp_milliseconds";
  const [protectedSegment = "", ...others] = request.signature.split(".");
  const signature = decodeLeniently(others.at(-1) ?? "");
  if (signature === undefined) return "none";
  if (signature.length !== 64) {
    return rawSignatureFromDer(signature) === undefined ? "none" : "signature_der";
  }

  const parsed = parseDetached(request.signature);
  // As it came, also where a verifier must refuse it: the question is what the partner signed.
  const asSent: DetachedJws = { ok: true, protectedSegment, keyId: undefined, signature };
  for (const { form, text } of await candidateStrings(request)) {
    for (const { keyId, publicKey } of request.keys) {
      if (await verifyParsed(asSent, text, publicKey)) {
        return form === "correct" ? rightString(parsed, keyId) : form;
      }
      if (form !== "correct") continue;
      const encoded = encodeBase64Url(encodeUtf8(text));
      if (await verifyParsed(asSent, encoded, publicKey)) return "payload_base64url";
    }
  }
  return "none";
}

/** What can still be wrong when the right string was signed. */
function rightString(jws: DetachedJws | JwsRefusal, keyId: string): DiagnosisForm {
  if (!jws.ok) return "jws_form";
  return jws.keyId === undefined || jws.keyId === keyId ? "correct" : "other_key";
}

/** Base64 of either alphabet, with or without padding: here it only serves to explain. */
function decodeLeniently(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text === "" || text.length > SIGNATURE_LETTERS_MAX) return undefined;
  const plain = text.replaceAll("+", "-").replaceAll("/", "_").replace(/[=\s]+$/, "");
  return decodeBase64Url(plain);
}

function diagnosis(form: DiagnosisForm): Diagnosis {
  return { form, message: DIAGNOSIS_MESSAGES[form] };
}
