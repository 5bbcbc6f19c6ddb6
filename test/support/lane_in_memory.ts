import { setImmediate as turn } from "node:timers/promises";
import type { SecureContext } from "node:tls";
import { formatWebhookSecret } from "@sabika/protocol";

/** When delivery begins. */
export const START_MS = Date.UTC(2026, 0, 2);
/** What an attempt takes. */
export const ATTEMPT_MS = 10;
const LEASE_MS = 5_000;

interface Lane {
  partnerId: number;
  url: string;
  inFlight: number;
  nextSequence: bigint;
  attempts: number;
  cursorDue: boolean;
  hasScheduled: boolean;
  owner: string;
  leasedUntilMs: number;
  settledTo?: bigint;
}

interface Failed {
  sequence: bigint;
  attempts: number;
  atMs: number;
  status: number | null;
  reason: string;
}

interface Attempt {
  partnerId: number;
  sequence: bigint;
  atMs: number;
  durationMs: number;
  status: number | null;
  failure: string | null;
  address: string | null;
}

/** What is in a lane, and what its endpoint does. */
export interface LaneStory {
  lane?: Partial<Lane>;
  /** How many events there are, from 1. */
  count?: number;
  /** Those with a schedule of their own, and how many attempts at them have failed. */
  due?: readonly (readonly [sequence: bigint, attempts: number])[];
  /** The statuses that the endpoint answers with, 204 where none is named; 0: the connection breaks. */
  answers?: Readonly<Record<number, number>>;
  /** Which answers come only after the answer to another event. */
  waitsFor?: Readonly<Record<number, number>>;
  attemptMs?: number;
  /** Whether answers take a turn of the event loop. */
  isSlow?: boolean;
  /** Takes the place of functions of the store, and of what delivering needs. */
  store?: object;
  parts?: object;
}

/** Makes promises by number, each of which is resolved once. */
function gates() {
  const all = new Map<number, { promise: Promise<void>; resolve: () => void }>();
  return (sequence: number) => {
    let resolve = () => {};
    const promise = new Promise<void>((done) => resolve = done);
    const gate = all.get(sequence) ?? { promise, resolve };
    all.set(sequence, gate);
    return gate;
  };
}

function rowOf(sequence: number) {
  const event = {
    sequence: BigInt(sequence),
    eventId: "01900000-0000-7000-8000-000000000001",
    type: "ping" as const,
    createdAt: START_MS,
    object: `{"n":${sequence}}`,
  };
  return { event, order: null, funding: null, withdrawal: null };
}

/** Makes a store that keeps what is written to it in words. */
function storeInMemory(lane: Lane, clock: { ms: number }, story: LaneStory) {
  const { count = 3, due = [] } = story;
  const written: string[] = [];
  const inMs = (ms: number | null) => ms === null ? "never" : `in ${ms - clock.ms} ms`;
  const of = ({ sequence, attempts, status, reason, atMs }: Failed) =>
    `${sequence} failed ${attempts} (${status} ${reason}) after ${atMs - START_MS} ms`;
  /** Writes what is done, and moves the cursor as the database would. */
  const write = (what: string, next?: bigint) => {
    written.push(what);
    if (next !== undefined) Object.assign(lane, { nextSequence: next, attempts: 0 });
    return Promise.resolve(true);
  };
  const store = {
    events({ fromSequence, limit }: { fromSequence: bigint; limit: number }) {
      const first = Number(fromSequence);
      const left = Math.max(0, Math.min(limit, count + 1 - first));
      return Promise.resolve(Array.from({ length: left }, (_, n) => rowOf(first + n)));
    },
    due: () => Promise.resolve(due.map(([sequence, attempts]) => ({ sequence, attempts }))),
    advance: (_: Lane, next: bigint) => write(`advance to ${next}`, next),
    hold: async (_: Lane, failed: Failed, ms: number) =>
      void await write(`hold: ${of(failed)}, ${inMs(ms)}`),
    skip: (_: Lane, failed: Failed, ms: number | null) =>
      write(`skip: ${of(failed)}, ${inMs(ms)}`, failed.sequence + 1n),
    disable: async (_: Lane, failed: Failed) => void await write(`disable: ${of(failed)}`),
    recordScheduledFailure: (_: Lane, failed: Failed, ms: number | null) =>
      write(`schedule: ${of(failed)}, ${inMs(ms)}`),
    recordDelivery: (_: Lane, given: { sequence: bigint; atMs: number; status: number }) =>
      write(`delivered: ${given.sequence} (${given.status}) after ${given.atMs - START_MS} ms`),
    postponeDue: async (_: Lane, atMs: number, ms: number) =>
      void await write(`postpone what is due at ${atMs - START_MS} ms, ${inMs(ms)}`),
    release: async ({ settledTo }: Lane, ms: number) =>
      void await write(`release at ${ms - START_MS} ms, settled to ${settledTo}`),
    ...story.store,
  };
  return { store, written };
}

/** Makes an endpoint that answers as the story says. */
function endpointInMemory(clock: { ms: number }, story: LaneStory) {
  const { answers = {}, waitsFor = {}, isSlow = false, attemptMs = ATTEMPT_MS } = story;
  const sent: number[] = [];
  const atOnce: number[] = [];
  let inFlight = 0;
  const [sentOnce, answered] = [gates(), gates()];
  const waitFor = async (sequence: number) => {
    for (const [waiting, other] of Object.entries(waitsFor)) {
      if (other === sequence) await sentOnce(Number(waiting)).promise;
    }
    if (waitsFor[sequence] !== undefined) await answered(waitsFor[sequence]).promise;
  };
  const connection = {
    async post(_headers: object, body: Uint8Array) {
      const { sequence } = JSON.parse(new TextDecoder().decode(body)) as { sequence: number };
      sent.push(sequence);
      atOnce.push(++inFlight);
      if (isSlow) await turn();
      sentOnce(sequence).resolve();
      await waitFor(sequence);
      inFlight--;
      clock.ms += attemptMs;
      answered(sequence).resolve();
      const status = answers[sequence] ?? 204;
      return status === 0 ? { kind: "failed" as const, reason: "ECONNRESET" } : {
        kind: "answered" as const,
        status,
        retryAfter: undefined,
        address: "127.0.0.1:9000",
      };
    },
    close: () => {},
  };
  return {
    connection,
    sent,
    /** How many events were in flight when each was sent, it included. */
    atOnce,
  };
}

/** Makes a lane whose store and endpoint are in memory, and what delivering in it needs. */
export function laneInMemory(story: LaneStory) {
  const clock = { ms: START_MS };
  const now = () => clock.ms;
  const logged: unknown[][] = [];
  const seconds: unknown[][] = [];
  const attempts: Attempt[] = [];
  const lane: Lane = {
    partnerId: 7,
    url: "https://127.0.0.1:9000/",
    inFlight: 1,
    nextSequence: 1n,
    attempts: 0,
    cursorDue: true,
    hasScheduled: (story.due ?? []).length > 0,
    owner: "me",
    leasedUntilMs: START_MS + LEASE_MS,
    ...story.lane,
  };
  const { store, written } = storeInMemory(lane, clock, story);
  const { connection, ...endpoint } = endpointInMemory(clock, story);
  /** The partners whose connections were given back. */
  const given: number[] = [];
  const kept = { connection, answered: 0 };
  const log = (level: string) => (message: string, fields: object) =>
    void logged.push([level, message, fields]);
  const parts = {
    store: store as never,
    attempts: {
      add: (attempt: Attempt) => void attempts.push(attempt),
      written: () => Promise.resolve(),
    },
    readSecrets: () => Promise.resolve([formatWebhookSecret(new Uint8Array(32))]),
    environment: "sandbox" as const,
    policy: { allowLoopback: true, resolve: () => Promise.reject(new Error("asked")) },
    trust: {} as SecureContext,
    connections: {
      take: () => kept,
      give: (partnerId: number) => void given.push(partnerId),
      sweep: () => {},
      close: () => {},
    },
    now,
    realNow: now,
    random: () => Uint8Array.of(128, 64),
    timeoutMs: 1_000,
    log: { warn: log("warn"), error: log("error") },
    metrics: { attempt: (...counted: unknown[]) => void seconds.push(counted) },
    pace: () => Promise.resolve(),
    mayContinue: () => true,
    ...story.parts,
  };
  return { lane, parts, clock, kept, given, written, attempts, logged, seconds, ...endpoint };
}
