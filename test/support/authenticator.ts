import { decodeBase64Url, encodeBase64Url, encodeUtf8 } from "@sabika/protocol";

/** The members of a browser's options that an authenticator uses. */
export interface AskedOptions {
  readonly challenge: string;
  readonly rpId?: string;
  readonly rp?: { readonly id: string };
  readonly allowCredentials?: readonly { readonly id: string }[];
}

/** Members of a response that a test falsifies. */
interface Wrong {
  readonly origin?: string;
  readonly type?: string;
  readonly flags?: number;
  readonly challenge?: string;
  readonly crossOrigin?: boolean;
}

/** The flags "user present" and "user verified". */
const FLAGS = 0x05;
const WITH_KEY = 0x40;

/**
 * Creates an authenticator in software with one P-256 passkey. Its responses have the form of a
 * browser's `PublicKeyCredential.toJSON()` (Web Authentication Level 3 §5.1).
 */
export async function createAuthenticator(origin: string) {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign"]);
  const credentialId = crypto.getRandomValues(new Uint8Array(32));
  const id = encodeBase64Url(credentialId);
  const { x, y } = await crypto.subtle.exportKey("jwk", keys.publicKey);

  const clientData = (type: string, { challenge }: AskedOptions, wrong: Wrong) =>
    encodeUtf8(JSON.stringify({
      type: wrong.type ?? type,
      challenge: wrong.challenge ?? challenge,
      origin: wrong.origin ?? origin,
      crossOrigin: wrong.crossOrigin ?? false,
    }));

  return {
    credentialId: id,

    /** Answers `navigator.credentials.create`, attestation `none`. */
    async create(options: AskedOptions, wrong: Wrong = {}) {
      const data = clientData("webauthn.create", options, wrong);
      const flags = (wrong.flags ?? FLAGS) | WITH_KEY;
      const authenticatorData = join(
        await sha256(encodeUtf8(options.rp!.id)),
        [flags],
        [0, 0, 0, 0],
        // No model (AAGUID), the length of the id, the id, and the key in COSE.
        new Uint8Array(16),
        [0, credentialId.length],
        credentialId,
        [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20],
        decodeBase64Url(x!)!,
        [0x22, 0x58, 0x20],
        decodeBase64Url(y!)!,
      );
      // CBOR: {"fmt": "none", "attStmt": {}, "authData": bytes}.
      const attestationObject = join(
        [0xa3, 0x63],
        encodeUtf8("fmt"),
        [0x64],
        encodeUtf8("none"),
        [0x67],
        encodeUtf8("attStmt"),
        [0xa0],
        [0x68],
        encodeUtf8("authData"),
        [0x58, authenticatorData.length],
        authenticatorData,
      );
      return answer({
        clientDataJSON: encodeBase64Url(data),
        attestationObject: encodeBase64Url(attestationObject),
      });
    },

    /** Answers `navigator.credentials.get`. */
    async get(options: AskedOptions, wrong: Wrong = {}) {
      const data = clientData("webauthn.get", options, wrong);
      const authenticatorData = join(
        await sha256(encodeUtf8(options.rpId!)),
        [wrong.flags ?? FLAGS],
        [0, 0, 0, 0],
      );
      const raw = await crypto.subtle.sign(
        { name: "ECDSA", hash: "SHA-256" },
        keys.privateKey,
        join(authenticatorData, await sha256(data)),
      );
      return answer({
        clientDataJSON: encodeBase64Url(data),
        authenticatorData: encodeBase64Url(authenticatorData),
        signature: encodeBase64Url(derOf(new Uint8Array(raw))),
      });
    },
  };

  function answer<R extends object>(response: R) {
    return { id, rawId: id, type: "public-key", clientExtensionResults: {}, response };
  }
}

/** Converts r‖s to DER: two INTEGERs, positive and as short as possible. */
function derOf(raw: Uint8Array): Uint8Array {
  const integers = [raw.subarray(0, 32), raw.subarray(32)].map((number) => {
    const first = number.findIndex((byte) => byte !== 0);
    const digits = number.subarray(first);
    const bytes = digits[0]! >= 0x80 ? join([0], digits) : digits;
    return join([0x02, bytes.length], bytes);
  });
  const content = join(...integers);
  return join([0x30, content.length], content);
}

function join(...parts: readonly (ArrayLike<number>)[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(parts.flatMap((part) => Array.from(part)));
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}
