import { encodeBase64, signEs256, type SigningKey } from "@sabika/protocol";

const [INTEGER, BIT_STRING, OBJECT_ID, UTF8_STRING] = [0x02, 0x03, 0x06, 0x0c];
const [SEQUENCE, SET, ATTRIBUTES] = [0x30, 0x31, 0xa0];
/** OIDs 2.5.4.10 and 2.5.4.3 (X.520), and ecdsa-with-SHA256, 1.2.840.10045.4.3.2 (RFC 5758 §3.2). */
const ORGANISATION = [0x55, 0x04, 0x0a];
const COMMON_NAME = [0x55, 0x04, 0x03];
const ECDSA_WITH_SHA256 = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];

/** Whom a certificate signing request names. */
export interface RequestSubject {
  /** The partner's client id, the common name (CN). */
  clientId: string;
  /** The company, the organisation (O). */
  organisation: string;
}

/**
 * Makes a certificate signing request (PKCS#10, RFC 2986), which proves that you have the private key, also one that
 * stays in an HSM or a key service (Decisions D70, D119). For a signing key it gets no certificate.
 *
 * @returns PEM
 * @example
 * ```ts
 * import { makeSigningRequest } from "@sabika/client";
 *
 * const P256 = { name: "ECDSA", namedCurve: "P-256" };
 * const keys = await crypto.subtle.generateKey(P256, false, ["sign", "verify"]);
 * const subject = { clientId: "bank-one", organisation: "Bank One" };
 * console.log(await makeSigningRequest(subject, keys.publicKey, keys.privateKey));
 * ```
 */
export async function makeSigningRequest(
  subject: RequestSubject,
  publicKey: CryptoKey,
  key: SigningKey,
): Promise<string> {
  const info = der(
    SEQUENCE,
    der(INTEGER, [0]),
    der(SEQUENCE, name(ORGANISATION, subject.organisation), name(COMMON_NAME, subject.clientId)),
    new Uint8Array(await crypto.subtle.exportKey("spki", publicKey)),
    der(ATTRIBUTES),
  );
  const request = der(
    SEQUENCE,
    info,
    der(SEQUENCE, der(OBJECT_ID, ECDSA_WITH_SHA256)),
    der(BIT_STRING, [0], derSignature(await signEs256(key, info))),
  );
  return pem("CERTIFICATE REQUEST", request);
}

function name(type: number[], value: string): Uint8Array<ArrayBuffer> {
  const text = der(UTF8_STRING, new TextEncoder().encode(value));
  return der(SET, der(SEQUENCE, der(OBJECT_ID, type), text));
}

/** Converts r‖s to DER as in certificates (RFC 3279 §2.2.3). */
function derSignature(raw: Uint8Array): Uint8Array<ArrayBuffer> {
  return der(SEQUENCE, ...[raw.subarray(0, 32), raw.subarray(32)].map(unsignedInteger));
}

function unsignedInteger(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = bytes.subarray(first === -1 ? bytes.length - 1 : first);
  return der(INTEGER, digits[0]! < 0x80 ? [] : [0], digits);
}

/** Encodes an element of DER (X.690 §8.1, §10.1) of at most 65 535 bytes. */
function der(tag: number, ...parts: (Uint8Array | number[])[]): Uint8Array<ArrayBuffer> {
  const content = parts.flatMap((part) => [...part]);
  const { length } = content;
  const lengthBytes = length < 0x80
    ? [length]
    : length < 0x100
    ? [0x81, length]
    : [0x82, length >> 8, length & 0xff];
  return new Uint8Array([tag, ...lengthBytes, ...content]);
}

/** Writes bytes as PEM (RFC 7468). */
export function pem(label: string, bytes: Uint8Array): string {
  const lines = encodeBase64(bytes).match(/.{1,64}/g)!;
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}
