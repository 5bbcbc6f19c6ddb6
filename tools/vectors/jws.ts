import {
  encodeBase64Url,
  encodeUtf8,
  importPublicPem,
  parseDetached,
  thumbprint,
  verifyDetached,
} from "@sabika/protocol";
import { signDeterministically } from "./deterministic_signature.ts";
import { type PublishedKey, SIGNER, STRANGER } from "./published_keys.ts";
import type { VectorFile } from "./vector_file.ts";

const PAYLOAD = "POST\nhttps://sandbox.sabika.example/v1/orders\n" +
  "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a\n" +
  "1795167000\n5f3c1e0a9b7d42648c5fe0d1a2b3c4d5";
const HEADER = '{"alg":"ES256","b64":false,"crit":["b64"]}';
/** The order of the group of P-256 (SP 800-186 §3.2.1.3). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** A JWS and what it is verified over. */
interface Case {
  readonly name: string;
  readonly payload: string;
  readonly jws: string;
}

const segment = (json: string): string => encodeBase64Url(encodeUtf8(json));
const sign = (json: string, payload = PAYLOAD, key: PublishedKey = SIGNER): string =>
  signDeterministically(key, segment(json), payload);
/** The right signature with something else around it: what is wrong is only what the name says. */
const GOOD = sign(HEADER);
const SIGNATURE = GOOD.split("..")[1]!;

/** jws.json: detached signatures, each with the verdict of the service's own verifier. */
export async function jwsVectors(): Promise<VectorFile> {
  const imported = await importPublicPem(SIGNER.publicKeyPem);
  if (!imported.ok) throw new Error(`the published key is refused: ${imported.code}`);
  const verify = ({ jws, payload }: Case) => verifyDetached(jws, payload, imported.key);
  const keyId = await thumbprint(SIGNER.jwk);
  const valid = [];
  for (const sample of validCases(keyId)) {
    const verified = await verify(sample);
    if (!verified.ok) throw new Error(`${sample.name}: ${verified.code}`);
    valid.push({ ...sample, key_id: verified.keyId ?? null });
  }
  const invalid = [];
  for (
    const sample of [...headerCases(keyId), ...formCases(), ...rangeCases(), ...mismatchCases()]
  ) {
    const verified = await verify(sample);
    if (verified.ok) throw new Error(`${sample.name}: it verifies`);
    invalid.push({ ...sample, refusal: verified.code });
  }
  return {
    about: "Detached ES256 JWS with unencoded payload, verified under the key signer of " +
      "keys.json. refusal names the first rule that is broken. On the wire signature_mismatch is " +
      "signature_invalid, every other one is signature_malformed with meta.reason.",
    source: "RFC 7515 appendix F, RFC 7797, RFC 7518 §3.4; Decisions D22, D23",
    key: SIGNER.name,
    valid,
    invalid,
  };
}

function validCases(keyId: string): Case[] {
  const named = `{"alg":"ES256","b64":false,"crit":["b64"],"kid":"${keyId}"}`;
  const reordered = '{"crit":["b64"],"b64":false,"alg":"ES256"}';
  const blanks = '{ "alg": "ES256",\r\n\t"b64": false, "crit": [ "b64" ] }';
  return [
    { name: "the three members", payload: PAYLOAD, jws: GOOD },
    { name: "kid names the key", payload: PAYLOAD, jws: sign(named) },
    { name: "the members in another order", payload: PAYLOAD, jws: sign(reordered) },
    { name: "blanks between the members", payload: PAYLOAD, jws: sign(blanks) },
    { name: "an empty payload", payload: "", jws: sign(HEADER, "") },
    { name: "full stops in the payload", payload: "a.b..c", jws: sign(HEADER, "a.b..c") },
    { name: "a payload beyond ASCII", payload: "سبيكة\n🥇", jws: sign(HEADER, "سبيكة\n🥇") },
    { name: "a high s is as good as a low one", payload: PAYLOAD, jws: otherS() },
  ];
}

function headerCases(keyId: string): Case[] {
  const headers: Record<string, string> = {
    "alg none": '{"alg":"none","b64":false,"crit":["b64"]}',
    "alg HS256": '{"alg":"HS256","b64":false,"crit":["b64"]}',
    "alg in lower case": '{"alg":"es256","b64":false,"crit":["b64"]}',
    "no alg": '{"b64":false,"crit":["b64"]}',
    "b64 true": '{"alg":"ES256","b64":true,"crit":["b64"]}',
    "no b64": '{"alg":"ES256","crit":["b64"]}',
    "b64 as a string": '{"alg":"ES256","b64":"false","crit":["b64"]}',
    "no crit": '{"alg":"ES256","b64":false}',
    "an empty crit": '{"alg":"ES256","b64":false,"crit":[]}',
    "more in crit": '{"alg":"ES256","b64":false,"crit":["b64","exp"]}',
    "typ": '{"alg":"ES256","b64":false,"crit":["b64"],"typ":"JOSE"}',
    "jwk": '{"alg":"ES256","b64":false,"crit":["b64"],"jwk":{}}',
    "alg twice": '{"alg":"none","alg":"ES256","b64":false,"crit":["b64"]}',
    "kid twice": `{"alg":"ES256","b64":false,"crit":["b64"],"kid":"${keyId}","kid":"${keyId}"}`,
    "a kid that is no thumbprint": '{"alg":"ES256","b64":false,"crit":["b64"],"kid":"key-1"}',
    "an array": '["ES256"]',
    "not JSON": '{"alg":"ES256","b64":false,"crit":["b64"],}',
    "a byte order mark": `\ufeff${HEADER}`,
    "an escape": '{"\\u0061lg":"ES256","b64":false,"crit":["b64"]}',
  };
  return Object.entries(headers).map(([name, json]) => ({
    name: `header: ${name}`,
    payload: PAYLOAD,
    jws: sign(json),
  }));
}

function formCases(): Case[] {
  const header = segment(HEADER);
  const der = encodeBase64Url(Uint8Array.from({ length: 70 }, (_, index) => index));
  const texts: Record<string, string> = {
    "nothing": "",
    "two segments": `${header}.${SIGNATURE}`,
    "four segments": `${GOOD}.`,
    "the payload is in it": `${header}.${segment(PAYLOAD)}.${SIGNATURE}`,
    "header with padding": `${header}=..${SIGNATURE}`,
    "header in base64 of the other alphabet": `${header.slice(0, -1)}+..${SIGNATURE}`,
    "signature with padding": `${GOOD}==`,
    "signature in base64 of the other alphabet": `${header}..+/${SIGNATURE.slice(2)}`,
    "idle bits in the signature's last letter": `${header}..${"A".repeat(85)}B`,
    "no signature": `${header}..`,
    "63 bytes": `${header}..${"A".repeat(84)}`,
    "70 bytes, as DER often has": `${header}..${der}`,
  };
  return Object.entries(texts).map(([name, jws]) => ({ name, payload: PAYLOAD, jws }));
}

function rangeCases(): Case[] {
  const pairs: Record<string, readonly [bigint, bigint]> = {
    "r is zero": [0n, 1n],
    "s is zero": [1n, 0n],
    "both are zero": [0n, 0n],
    "r is the order of the group": [ORDER, 1n],
    "s is the order of the group": [1n, ORDER],
  };
  return Object.entries(pairs).map(([name, [r, s]]) => ({
    name,
    payload: PAYLOAD,
    jws: withSignature(r, s),
  }));
}

function mismatchCases(): Case[] {
  const signatures: Record<string, string> = {
    "CR LF between the parts": sign(HEADER, PAYLOAD.replaceAll("\n", "\r\n")),
    "a final line feed": sign(HEADER, `${PAYLOAD}\n`),
    "the method in lower case": sign(HEADER, PAYLOAD.replace("POST", "post")),
    "the body's hash in upper case": sign(HEADER, upperCaseHash(PAYLOAD)),
    "the payload in base64url, as with b64 true": sign(HEADER, segment(PAYLOAD)),
    "another key": sign(HEADER, PAYLOAD, STRANGER),
    "another header than the one that was signed": `${
      segment('{"b64":false,"alg":"ES256","crit":["b64"]}')
    }..${SIGNATURE}`,
    "r and s are one": withSignature(1n, 1n),
  };
  return Object.entries(signatures).map(([name, jws]) => ({ name, payload: PAYLOAD, jws }));
}

function upperCaseHash(payload: string): string {
  return payload.replace(/[0-9a-f]{64}/, (hash) => hash.toUpperCase());
}

/** The twin of the good signature: n − s in place of s. */
function otherS(): string {
  const parsed = parseDetached(GOOD);
  if (!parsed.ok) throw new Error(parsed.code);
  const hex = Array.from(parsed.signature, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const s = BigInt(`0x${hex.slice(64)}`);
  return withSignature(BigInt(`0x${hex.slice(0, 64)}`), ORDER - s);
}

function withSignature(r: bigint, s: bigint): string {
  const hex = r.toString(16).padStart(64, "0") + s.toString(16).padStart(64, "0");
  const bytes = Uint8Array.from(hex.match(/../g)!, (pair) => parseInt(pair, 16));
  return `${segment(HEADER)}..${encodeBase64Url(bytes)}`;
}
