import { decodeHex } from "@sabika/protocol";
import ipaddr from "ipaddr.js";

/** The whole content of a leaf certificate. */
export interface CertificateContent {
  /** Lower-case hex, positive. */
  serial: string;
  /** The issuer's name, DER. */
  issuerName: Uint8Array;
  /** SubjectPublicKeyInfo of the issuer, DER. */
  issuerPublicKey: Uint8Array;
  validFromMs: number;
  validUntilMs: number;
  organisation: string;
  commonName: string;
  /** SubjectPublicKeyInfo, DER, of an uncompressed key on P-256. */
  publicKey: Uint8Array;
  usage: "clientAuth" | "serverAuth";
  names: { type: "url" | "dns" | "ip"; value: string }[];
}

const OID = {
  organisation: "55040a",
  commonName: "550403",
  basicConstraints: "551d13",
  keyUsage: "551d0f",
  extendedKeyUsage: "551d25",
  subjectAlternativeName: "551d11",
  subjectKeyIdentifier: "551d0e",
  authorityKeyIdentifier: "551d23",
  clientAuth: "2b06010505070302",
  serverAuth: "2b06010505070301",
};
const SEQUENCE = 0x30;
const OCTET_STRING = 0x04;
const ECDSA_WITH_SHA256 = hex("300a06082a8648ce3d040302");
const YEAR_2050_MS = Date.UTC(2050, 0);

/**
 * The bytes that are signed in a leaf certificate (RFC 5280 §4.1), written by our own encoder, so that the
 * output of a library can be compared with it byte for byte.
 */
export async function expectedTbsCertificate(content: CertificateContent): Promise<Uint8Array> {
  const { publicKey, issuerPublicKey, organisation, commonName, usage, names } = content;
  return sequence(
    der(0xa0, hex("020102")),
    der(0x02, hex(content.serial)),
    ECDSA_WITH_SHA256,
    content.issuerName,
    sequence(time(content.validFromMs), time(content.validUntilMs)),
    sequence(attribute(OID.organisation, organisation), attribute(OID.commonName, commonName)),
    publicKey,
    der(
      0xa3,
      sequence(
        extension(OID.basicConstraints, sequence(), true),
        extension(OID.keyUsage, hex("03020780"), true),
        extension(OID.extendedKeyUsage, sequence(oid(OID[usage])), true),
        extension(OID.subjectAlternativeName, sequence(...names.map(generalName))),
        extension(OID.subjectKeyIdentifier, der(OCTET_STRING, await keyIdentifier(publicKey))),
        extension(
          OID.authorityKeyIdentifier,
          sequence(der(0x80, await keyIdentifier(issuerPublicKey))),
        ),
      ),
    ),
  );
}

/**
 * A whole certificate of signed bytes and a signature.
 *
 * @param signature ECDSA-Sig-Value, DER
 */
export function certificateOf(tbs: Uint8Array, signature: Uint8Array): Uint8Array {
  return sequence(tbs, ECDSA_WITH_SHA256, der(0x03, Uint8Array.of(0), signature));
}

function attribute(type: string, value: string): Uint8Array {
  return der(0x31, sequence(oid(type), der(0x0c, new TextEncoder().encode(value))));
}

function extension(id: string, value: Uint8Array, isCritical = false): Uint8Array {
  const critical = isCritical ? [hex("0101ff")] : [];
  return sequence(oid(id), ...critical, der(OCTET_STRING, value));
}

function generalName({ type, value }: CertificateContent["names"][number]): Uint8Array {
  if (type === "ip") return der(0x87, Uint8Array.from(ipaddr.parse(value).toByteArray()));
  return der(type === "url" ? 0x86 : 0x82, new TextEncoder().encode(value));
}

/** UTCTime until 2049, GeneralizedTime after it (RFC 5280 §4.1.2.5). */
function time(ms: number): Uint8Array {
  const digits = new Date(ms).toISOString().slice(0, 19).replace(/[-T:]/g, "");
  const text = ms < YEAR_2050_MS ? digits.slice(2) : digits;
  return der(ms < YEAR_2050_MS ? 0x17 : 0x18, new TextEncoder().encode(`${text}Z`));
}

/** SHA-1 of the key's bits (RFC 5280 §4.2.1.2): a name, no protection. */
async function keyIdentifier(spki: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-1", spki.slice(-65)));
}

const sequence = (...parts: Uint8Array[]) => der(SEQUENCE, ...parts);
const oid = (id: string) => der(0x06, hex(id));

/** One element (X.690 §10.1): tag, shortest length, content. */
function der(tag: number, ...parts: Uint8Array[]): Uint8Array {
  const content = parts.flatMap((part) => [...part]);
  const { length } = content;
  const size = length < 0x80
    ? [length]
    : length < 0x100
    ? [0x81, length]
    : [0x82, length >> 8, length & 0xff];
  return Uint8Array.from([tag, ...size, ...content]);
}

function hex(text: string): Uint8Array {
  return decodeHex(text)!;
}
