import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { fuzz } from "../../../test/support/fuzz/fuzz.ts";
import { seeded } from "../../../test/support/seeded.ts";
import { virtualClock } from "../../../test/support/virtual_clock.ts";
import type { PartnerRecord } from "./records.ts";
import { followRegister, type RegisterReads } from "./register.ts";

// (F19, F58) An instance's register over a database that delays, fails and hangs, while partners change and the
// instance's clock is stepped: whoever is let in is known as he was 0.9 s ago at the earliest, and a partner of
// another cell than control's own as he was `AWAY_MS` ago, if control is away then (D116).

const START_MS = 1_795_167_000_000;
const STALE_AFTER_MS = 900;
const AWAY_MS = 3_000;
const PARTNERS = [1, 2, 3];
/** Changes and faults come within this time; then all is well. */
const TROUBLE_MS = 8_000;
const STEPS_MS = [-600_000, -5_000, 5_000, 120_000];

/** A change of a partner, when it was committed. */
interface Change {
  readonly partnerId: number;
  readonly revision: bigint;
  readonly atMs: number;
}

/** Carries one schedule out; returns what kind it was of. */
async function runSchedule(seed: number): Promise<string> {
  const fraction = seeded(seed);
  const below = (limit: number) => Math.floor(fraction() * limit);
  const clock = virtualClock(START_MS);
  const faultShare = fraction() * 0.7;
  const changes: Change[] = [];
  let revision = 0n;
  let aheadMs = 0;
  const now = () => clock.now() + aheadMs;
  const isOver = () => clock.now() > START_MS + TROUBLE_MS;
  const change = (partnerId: number) =>
    void changes.push({ partnerId, revision: ++revision, atMs: clock.now() });
  for (const partnerId of PARTNERS) change(partnerId);

  /** A statement: what it reads is there at some moment between its beginning and its answer. */
  async function ask<T>(read: () => T): Promise<T> {
    const isFaulty = !isOver() && fraction() < faultShare;
    const fate = isFaulty ? below(3) : -1;
    await clock.wait(1 + below(fate === 0 ? 2_500 : 30));
    if (fate === 1) throw Object.assign(new Error("the connection broke"), { code: "ECONNRESET" });
    const answer = read();
    await clock.wait(1 + below(fate === 2 ? 4_000 : 30));
    return answer;
  }
  const changedAfter = (after: bigint) =>
    PARTNERS.flatMap((partnerId) => {
      const last = changes.findLast((change) => change.partnerId === partnerId)!;
      return last.revision > after ? [recordOf(last)] : [];
    });
  const reads: RegisterReads = {
    revision: () => ask(() => revision),
    partners: (after) => ask(() => changedAfter(after)),
    tokenKeys: () => ask(() => []),
    revokedTokens: () => ask(() => []),
  };
  const register = followRegister(reads, {
    now,
    monotonic: clock.now,
    timers: clock.timers,
    awayMs: AWAY_MS,
  });
  const { isFresh } = register;

  /** What is known of a partner, and what was so at a moment. */
  const known = (partnerId: number) => BigInt(register.byPartnerId(partnerId)?.name ?? 0);
  const wasAt = (partnerId: number, atMs: number) =>
    changes.findLast((change) => change.partnerId === partnerId && change.atMs < atMs)?.revision ??
      0n;
  const seen = new Map<number, bigint>();
  let fresh = 0;
  function judge(): void {
    for (const partnerId of PARTNERS) {
      const is = known(partnerId);
      assert(is >= (seen.get(partnerId) ?? 0n), "a later snapshot was replaced by an earlier one");
      seen.set(partnerId, is);
      for (const cellId of ["main", "b"]) {
        if (!isFresh(now(), cellId)) continue;
        fresh++;
        const goesOn = cellId === "b" && register.away() !== undefined;
        const was = wasAt(partnerId, clock.now() - (goesOn ? AWAY_MS : STALE_AFTER_MS));
        assert(is >= was, `partner ${partnerId} is known as of ${is}, was ${was} long ago`);
      }
    }
  }

  const programs = [
    // Whoever changes partners, steps the clock, asks for a refresh and calls.
    ...Array.from({ length: 1 + below(6) }, async () => {
      await clock.wait(below(TROUBLE_MS));
      change(PARTNERS[below(PARTNERS.length)]!);
    }),
    ...Array.from({ length: below(3) }, async () => {
      await clock.wait(below(TROUBLE_MS));
      aheadMs += STEPS_MS[below(STEPS_MS.length)]!;
    }),
    ...Array.from({ length: below(4) }, async () => {
      await clock.wait(below(TROUBLE_MS));
      const askedMs = clock.now();
      const isDone = await register.refresh().then(() => true, () => false);
      if (!isDone) return;
      for (const partnerId of PARTNERS) {
        assert(known(partnerId) >= wasAt(partnerId, askedMs), "a refresh read what was before it");
      }
    }),
    (async () => {
      try {
        for (; !isOver(); await clock.wait(1 + below(120))) judge();
        // The last answer of the trouble comes at most 6.5 s after it; then a poll, and the next.
        await clock.wait(12_000);
        judge();
        assert(isFresh(now()), "the register does not become fresh again");
        assertEquals(register.away(), undefined);
        for (const partnerId of PARTNERS) {
          assertEquals(known(partnerId), wasAt(partnerId, clock.now()));
        }
      } finally {
        register.close();
      }
    })(),
  ];
  const ended = Promise.allSettled(programs);
  await clock.run();
  const failed = (await ended).find((outcome) => outcome.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return fresh > 0 ? "accepted" : "never fresh in trouble";
}

/** The seed of a schedule, from an input of the fuzz runner. */
const seedOf = (input: Uint8Array): number =>
  input.reduce((seed, byte) => Math.imul(seed, 31) + byte | 0, 7);

/** A partner whose name says as of which revision it is. */
const recordOf = ({ partnerId, revision }: Change): PartnerRecord =>
  ({
    partnerId,
    clientId: `bank-${partnerId}`,
    name: String(revision),
    certificates: [{ hashHex: `${partnerId}` }],
  }) as unknown as PartnerRecord;

test(
  "fuzz: whatever the database does, a fresh register has the partners of at most 0.9 s ago",
  // "f": set back while an answer was away, a clock showed again the time of an old snapshot.
  fuzz({ samples: ["a", "b", "c"], found: ["f"], judge: (input) => runSchedule(seedOf(input)) }),
);
