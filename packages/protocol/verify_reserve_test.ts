import { createHash } from "node:crypto";
import { test } from "node:test";
import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { makeKeys } from "../../test/support/test_keys.ts";
import {
  ATTESTATION_TYPE,
  type AttestationKey,
  commitBalances,
  encodeUtf8,
  publicJwk,
  RESERVE,
  type Reserve,
  RESERVE_ATTESTATION,
  RESERVE_OPENING,
  RESERVE_TYPE,
  type ReserveFault,
  reserveHash,
  type ReserveOpening,
  signCompact,
  thumbprint,
  verifyReserve,
} from "./mod.ts";

const DAY = "2026-11-20";
const salts = fc.uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => Buffer.from(bytes).toString("hex"));
const openings = fc.record<Omit<ReserveOpening, "day" | "pool">>({
  partner: fc.string(),
  cashHalalas: fc.bigInt(0n, 10n ** 13n),
  goldMicrograms: fc.bigInt(0n, 10n ** 15n),
  salt: salts,
}).map((opening) => ({ ...opening, day: DAY, pool: "main" }));

const opening = (partner: string, cashHalalas: bigint, goldMicrograms: bigint): ReserveOpening => ({
  partner,
  cashHalalas,
  goldMicrograms,
  day: DAY,
  pool: "main",
  salt: createHash("sha256").update(`salt of ${partner}`).digest("hex"),
});

async function reserveOf(opened: readonly ReserveOpening[]): Promise<Reserve> {
  const commitments = await Promise.all(opened.map(commitBalances));
  const obligationsMicrograms = opened.reduce((sum, one) => sum + one.goldMicrograms, 0n);
  return {
    day: DAY,
    previous: null,
    commitments: commitments.sort(),
    cash: {
      bankHalalas: null,
      inTransitHalalas: 0n,
      obligationsHalalas: opened.reduce((sum, one) => sum + one.cashHalalas, 0n),
    },
    pools: [{
      id: "main",
      version: 3,
      fineMicrograms: obligationsMicrograms + 1n,
      obligationsMicrograms,
      count: { version: 2, atMs: Date.parse("2026-11-19T09:00:00Z"), by: "nura" },
    }],
  };
}

const THREE = [
  opening("c-1", 25n, 17n),
  opening("c-2", 40n, 9n),
  opening("c-3", 8n, 33n),
];
const RESERVED = await reserveOf(THREE);
const TEXT = RESERVE.write(RESERVED);

test("a reserve is canonical JSON", () => {
  const [a, b, c] = RESERVED.commitments;
  assertEquals(
    TEXT,
    `{"cash":{"bank":null,"in_transit":0,"obligations":0.73},"commitments":["${a}","${b}","${c}"],` +
      `"day":"2026-11-20","pools":[{"count":{"at":"2026-11-19T09:00:00.000Z","by":"nura","version":2},` +
      `"fine_ug":"60","id":"main","obligations_ug":"59","version":3}],"previous":null}`,
  );
});

test("commitBalances() hashes the salt's bytes and four lines", async () => {
  const [{ salt }] = THREE as [ReserveOpening];
  const expected = createHash("sha256").update(Buffer.from(salt, "hex"))
    .update("c-1\n2026-11-20\n25\n17\n").digest("hex");
  assertEquals(await commitBalances(THREE[0]!), expected);
  assertThrows(() => commitBalances({ ...THREE[0]!, salt: "00" }), TypeError);
});

test("commitments of different inputs differ, wherever their texts meet", async () => {
  await fc.assert(fc.asyncProperty(openings, openings, async (a, b) => {
    const isSame = RESERVE_OPENING.write(a) === RESERVE_OPENING.write(b);
    assertEquals(await commitBalances(a) === await commitBalances(b), isSame);
  }));
  const one = THREE[0]!;
  const shifted = { ...one, partner: "c-1\n2026-11-20", day: "25", cashHalalas: 17n };
  assertNotEquals(await commitBalances(one), await commitBalances(shifted));
  assertNotEquals(
    await commitBalances({ ...one, cashHalalas: 1n, goldMicrograms: 23n }),
    await commitBalances({ ...one, cashHalalas: 12n, goldMicrograms: 3n }),
  );
});

test("verifyReserve() accepts each partner's own opening and the auditor's of all", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(openings, { selector: ({ salt }) => salt }), async (opened) => {
      const text = RESERVE.write(await reserveOf(opened));
      const hash = await reserveHash(text);
      assertEquals((await verifyReserve({ text, hash, openings: opened })).faults, []);
      for (const mine of opened) assert((await verifyReserve({ text, mine })).ok);
    }),
    { numRuns: 20 },
  );
});

const faultsOf = async (input: Partial<Parameters<typeof verifyReserve>[0]>) =>
  (await verifyReserve({ text: TEXT, ...input })).faults;

test("verifyReserve() says what was altered", async () => {
  const [mine] = THREE as [ReserveOpening];
  const hash = await reserveHash(TEXT);
  const write = (change: Partial<Reserve>) => RESERVE.write({ ...RESERVED, ...change });
  const [pool] = RESERVED.pools;
  const reversed = write({ commitments: RESERVED.commitments.toReversed() });
  const less = write({ cash: { ...RESERVED.cash, obligationsHalalas: 72n } });
  const cases = [
    [{ text: "{}" }, ["malformed"]],
    [{ text: reversed }, ["malformed"]],
    [{ text: less, hash }, ["other_hash"]],
    [{ previousText: TEXT }, ["other_previous"]],
    [{ text: write({ previous: hash }), previousText: TEXT }, []],
    [{ mine: { ...mine, day: "2026-11-21" } }, ["other_day"]],
    [{ mine: { ...mine, cashHalalas: 24n } }, ["not_committed"]],
    [{ mine: { ...mine, goldMicrograms: 18n } }, ["not_committed"]],
    [{ mine: { ...mine, salt: "00".repeat(32) } }, ["not_committed"]],
    [{ openings: THREE.slice(1) }, ["openings_missing", "cash_differs", "gold_differs"]],
    [{ openings: [...THREE, mine] }, ["cash_differs", "gold_differs"]],
    [{ openings: THREE.map((one) => ({ ...one, pool: "other" })) }, ["gold_differs"]],
    [{ openings: THREE, mine: { ...mine, goldMicrograms: 1n } }, ["not_committed"]],
    [{ mine: { ...mine, cashHalalas: -1n } }, ["not_committed", "opening_negative"]],
    [{ text: less, openings: THREE }, ["cash_differs"]],
    [{ text: write({ pools: [{ ...pool!, fineMicrograms: 58n }] }) }, ["gold_not_covered"]],
  ] as const;
  for (const [input, faults] of cases) assertEquals(await faultsOf(input), [...faults]);
});

test("verifyReserve() tells an opening below zero from one that a sum hides", async () => {
  const opened = [...THREE, opening("c-4", -5n, 0n)];
  const text = RESERVE.write(await reserveOf(opened));
  assertEquals((await verifyReserve({ text, openings: opened })).faults, ["opening_negative"]);
});

async function aKey() {
  const { privateKey, publicKey } = await makeKeys();
  const { kty, crv, x, y } = await publicJwk(publicKey);
  const keyId = await thumbprint({ kty, crv, x, y });
  const sign = (text: string, typ: string) =>
    signCompact(encodeUtf8(text), privateKey, { typ, keyId });
  return { key: { keyId, x, y, validFromMs: 0, validUntilMs: null }, sign };
}

test("verifyReserve() tells a signature of this reserve from others", async () => {
  const { key, sign: signWith } = await aKey();
  const right = { day: DAY, hash: await reserveHash(TEXT), signer: "operator" };
  const sign = (change: object, typ = RESERVE_TYPE) =>
    signWith(JSON.stringify({ ...right, ...change }), typ);
  const faults = async (signature: string, known = [key]) =>
    (await faultsOf({ signature, keys: known })).join();
  assertEquals(await faults(await sign({})), "");
  assertEquals(await faults(await sign({}), []), "wrong_signature");
  assertEquals(await faults(await sign({}, "sabika-receipt")), "wrong_signature");
  for (const change of [{ day: "2026-11-21" }, { hash: "0".repeat(64) }, { signer: "auditor" }]) {
    assertEquals(await faults(await sign(change)), "wrong_signature");
  }
  const jws = await sign({});
  assertEquals(await faults(`${jws.slice(0, -4)}AAAA`), "wrong_signature");
});

test("verifyReserve() says whose attestation it is, and what of it does not hold", async () => {
  const { key, sign } = await aKey();
  const auditor: AttestationKey = { ...key, role: "auditor", holder: "Najd Auditors" };
  const right = { day: DAY, hash: await reserveHash(TEXT) };
  const text = RESERVE_ATTESTATION.write(right);
  const verify = (attestation: string, change: Partial<AttestationKey> = {}) =>
    verifyReserve({ text: TEXT, attestation, attestationKeys: [{ ...auditor, ...change }] });
  const jws = await sign(text, ATTESTATION_TYPE);
  const { faults, attestedBy } = await verify(jws);
  assertEquals([faults, attestedBy?.holder], [[], "Najd Auditors"]);
  assertEquals((await verifyReserve({ text: TEXT, attestation: jws })).attestedBy, undefined);

  const endMs = Date.parse("2026-11-20T21:00:00Z");
  assertEquals((await verify(jws, { validUntilMs: endMs + 1 })).faults, []);
  const [head, payload, signature] = jws.split(".");
  const none = btoa(`{"alg":"none","kid":"${key.keyId}","typ":"${ATTESTATION_TYPE}"}`);
  const other = await sign(
    RESERVE_ATTESTATION.write({ ...right, day: "2026-11-21" }),
    ATTESTATION_TYPE,
  );
  const cases: [string, Partial<AttestationKey>, ReserveFault][] = [
    ["", {}, "attestation_malformed"],
    [await sign(text, RESERVE_TYPE), {}, "attestation_malformed"],
    [await sign(`${text} `, ATTESTATION_TYPE), {}, "attestation_malformed"],
    [await sign("{}", ATTESTATION_TYPE), {}, "attestation_malformed"],
    [`${none.replace(/=+$/, "")}.${payload}.${signature}`, {}, "attestation_wrong_algorithm"],
    [jws, { keyId: (await aKey()).key.keyId }, "attestation_unknown_key"],
    [jws, { x: (await aKey()).key.x }, "attestation_unknown_key"],
    [`${head}.${other.split(".")[1]}.${signature}`, {}, "attestation_altered"],
    [jws, { role: "inspector" }, "attestation_other_role"],
    [jws, { validUntilMs: endMs }, "attestation_key_ended"],
    [other, {}, "attestation_other_reserve"],
  ];
  for (const [attestation, change, fault] of cases) {
    assertEquals((await verify(attestation, change)).faults, [fault]);
  }
});
