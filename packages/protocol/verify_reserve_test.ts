// What does not hold of a reserve, its signature and its attestation is in the vectors (reserve_vectors_test.ts).

import { createHash } from "node:crypto";
import { test } from "node:test";
import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import {
  commitBalances,
  RESERVE,
  type Reserve,
  RESERVE_OPENING,
  reserveHash,
  type ReserveOpening,
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
