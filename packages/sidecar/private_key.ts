import { decodeHex, encodeHex } from "@sabika/protocol";
import { pemBlocks, pemBytes } from "./pem.ts";

/** The identifiers of keys in PKCS#8, DER in hex: P-256 and P-384 (RFC 5480 §2.1.1), RSA (RFC 8017 §A.1). */
const P256 = "06082a8648ce3d030107";
const P384 = "06052b81040022";
const EC = "06072a8648ce3d0201";
const RSA = "06092a864886f70d0101010500";

/**
 * Reads a private key in PEM: PKCS#8, or what `openssl ecparam -genkey` (SEC1) and old tools (PKCS#1) write.
 *
 * @returns PKCS#8 in DER, or why it is not such a key
 */
export function readPrivateKey(
  text: string,
): { ok: true; pkcs8: Uint8Array<ArrayBuffer> } | { ok: false; problem: string } {
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(text)) {
    return { ok: false, problem: `it is encrypted; decrypt it with ${CONVERT}` };
  }
  try {
    const [pkcs8] = pemBlocks(text, "PRIVATE KEY");
    if (pkcs8 !== undefined) return { ok: true, pkcs8: pemBytes(pkcs8) };
    const [sec1] = pemBlocks(text, "EC PRIVATE KEY");
    if (sec1 !== undefined) {
      const key = encodeHex(pemBytes(sec1));
      // The curve is a member of its own, [0] (RFC 5915 §3).
      const curve = [P256, P384].find((curve) => key.includes(`a0${length(curve)}${curve}`));
      if (curve !== undefined) return { ok: true, pkcs8: wrap(sequence(EC + curve), key) };
    }
    const [pkcs1] = pemBlocks(text, "RSA PRIVATE KEY");
    if (pkcs1 !== undefined) {
      return { ok: true, pkcs8: wrap(sequence(RSA), encodeHex(pemBytes(pkcs1))) };
    }
  } catch {
    // Not base64.
  }
  return { ok: false, problem: `not a PEM key (P-256, P-384 or RSA); try ${CONVERT}` };
}

const CONVERT = "openssl pkey -in KEY -out KEY.new";

/** PKCS#8 (RFC 5208 §5): version 0, the kind of key, the key. */
function wrap(kind: string, key: string): Uint8Array<ArrayBuffer> {
  return decodeHex(sequence(`020100${kind}04${length(key)}${key}`))!;
}

function sequence(content: string): string {
  return `30${length(content)}${content}`;
}

/** Returns the length of a DER value, both in hex. */
function length(content: string): string {
  const hex = (content.length / 2).toString(16);
  const bytes = hex.padStart(hex.length + hex.length % 2, "0");
  if (content.length / 2 < 0x80) return bytes;
  return (0x80 + bytes.length / 2).toString(16) + bytes;
}
