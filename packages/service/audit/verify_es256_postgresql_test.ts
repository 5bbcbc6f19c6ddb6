import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import { decodeBase64Url, encodeHex } from "@sabika/protocol";
import { openTestDatabase } from "../../../test/support/test_database.ts";

const { database: { sql }, close } = await openTestDatabase();
after(close);

const P256 = { name: "ECDSA", namedCurve: "P-256" };
const ES256 = { name: "ECDSA", hash: "SHA-256" };
/** The order of the group, and the prime of its field. */
const N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const P = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
const bytesOf = (n: bigint) =>
  Uint8Array.from(n.toString(16).padStart(64, "0").match(/../g)!, (byte) => parseInt(byte, 16));
const numberOf = (bytes: Uint8Array) => BigInt(`0x${encodeHex(bytes)}`);
const join = (...parts: Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]));

async function inDatabase(parts: Record<"x" | "y" | "data" | "signature", Uint8Array>) {
  const { x, y, data, signature } = parts;
  const [row] = await sql<{ fits: boolean }[]>`select verify_es256(decode(${encodeHex(x)}, 'hex'),
    decode(${encodeHex(y)}, 'hex'), decode(${encodeHex(data)}, 'hex'),
    decode(${encodeHex(signature)}, 'hex')) as fits`;
  return row!.fits;
}

test("verify_es256() finds what Web Crypto finds, for right, changed and extreme signatures", async () => {
  for (let round = 0; round < 4; round++) {
    const { privateKey, publicKey } = await crypto.subtle.generateKey(P256, true, [
      "sign",
      "verify",
    ]);
    const jwk = await crypto.subtle.exportKey("jwk", publicKey);
    const [x, y] = [decodeBase64Url(jwk.x!)!, decodeBase64Url(jwk.y!)!];
    const data = crypto.getRandomValues(new Uint8Array(40 * round));
    const signature = new Uint8Array(await crypto.subtle.sign(ES256, privateKey, data));
    const [r, s] = [numberOf(signature.subarray(0, 32)), numberOf(signature.subarray(32))];
    const other = crypto.getRandomValues(new Uint8Array(64));
    const signatures = [
      signature,
      join(bytesOf(r), bytesOf(N - s)),
      join(bytesOf(N - r), bytesOf(s)),
      join(bytesOf(s), bytesOf(r)),
      join(bytesOf(r ^ 1n), bytesOf(s)),
      other,
      ...[[0n, s], [r, 0n], [N, s], [r, N], [0n, 0n], [1n, 1n], [N - 1n, N - 1n]].map(([r, s]) =>
        join(bytesOf(r!), bytesOf(s!))
      ),
    ];
    for (const tried of signatures) {
      const expected = await crypto.subtle.verify(ES256, publicKey, tried, data);
      assertEquals(await inDatabase({ x, y, data, signature: tried }), expected, encodeHex(tried));
    }
    // The first two, since ECDSA is malleable.
    assertEquals(await inDatabase({ x, y, data, signature: signatures[1]! }), true);
    const changed = join(data, new Uint8Array(1));
    assertEquals(await inDatabase({ x, y, data: changed, signature }), false);
    // Points that are not on the curve, and coordinates that are no field elements.
    const cases = [[x, bytesOf(P - numberOf(y))], [y, x], [bytesOf(P), y], [x.subarray(1), y]];
    for (const [x2, y2] of cases) {
      assertEquals(await inDatabase({ x: x2!, y: y2!, data, signature }), false);
    }
    const cut = signature.subarray(0, 63);
    assertEquals(await inDatabase({ x, y, data, signature: cut }), false);
  }
});
