import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { type AttestationKey, publicJwk, signCompact, thumbprint, verifyCount } from "./mod.ts";

const COUNT = JSON.stringify({
  counted_at: "2026-11-20T08:00:00.000Z",
  different: [],
  found: ["B-1"],
  missing: ["B-2"],
  place: null,
  pool: "main",
  version: 2,
});
const COUNTED_AT_MS = Date.UTC(2026, 10, 20, 8);

async function anInspector(changes: Partial<AttestationKey> = {}) {
  const pair = await crypto.subtle.generateKey(
    { name: "ECDSA", namedCurve: "P-256" },
    true,
    ["sign", "verify"],
  );
  const { x, y } = await publicJwk(pair.publicKey);
  const keyId = await thumbprint({ kty: "EC", crv: "P-256", x, y });
  const key: AttestationKey = {
    keyId,
    x,
    y,
    role: "inspector",
    holder: "Gulf Inspection",
    validFromMs: COUNTED_AT_MS - 1_000,
    validUntilMs: null,
    ...changes,
  };
  const sign = (text: string, typ = "sabika-count") =>
    signCompact(new TextEncoder().encode(text), pair.privateKey, { keyId, typ });
  return { key, sign };
}

test("verifyCount() reads what an inspector signed, and holds it against a kept count", async () => {
  const { key, sign } = await anInspector();
  const jws = await sign(COUNT);
  const verified = await verifyCount({ jws, keys: [key], text: COUNT });
  assertEquals([verified.faults, verified.key?.holder, verified.count?.missing], [
    [],
    "Gulf Inspection",
    ["B-2"],
  ]);
  const other = COUNT.replace('"missing":["B-2"]', '"missing":[]');
  assertEquals((await verifyCount({ jws, keys: [key], text: other })).faults, ["other_count"]);
});

test("verifyCount() says what does not hold", async () => {
  const { key, sign } = await anInspector();
  const jws = await sign(COUNT);
  const { key: another } = await anInspector();
  const [header, , signature] = jws.split(".");
  const changed = btoa(COUNT.replace("B-1", "B-9")).replace(/=+$/, "");
  const faultsOf = async (text: string, keys: AttestationKey[]) =>
    (await verifyCount({ jws: text, keys })).faults;
  assertEquals(await faultsOf(jws, [another]), ["unknown_key"]);
  assertEquals(await faultsOf(jws, [{ ...another, keyId: key.keyId }]), ["unknown_key"]);
  assertEquals(await faultsOf([header, changed, signature].join("."), [key]), ["altered"]);
  assertEquals(await faultsOf(await sign(COUNT, "sabika-receipt"), [key]), ["malformed"]);
  assertEquals(await faultsOf(await sign(`${COUNT} `), [key]), ["malformed"]);
  assertEquals(await faultsOf(await sign("{}"), [key]), ["malformed"]);
  assertEquals(await faultsOf(jws, [{ ...key, role: "auditor" }]), ["other_role"]);
  assertEquals(await faultsOf(jws, [{ ...key, validUntilMs: COUNTED_AT_MS }]), ["key_ended"]);
});
