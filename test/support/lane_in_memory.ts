import { setImmediate as turn } from "node:timers/promises";
import { formatWebhookSecret } from "@sabika/protocol";
import { type Attempt, createAttemptLog } from "../../packages/service/delivery/attempt_log.ts";
import { deliverLane, type DeliveryParts } from "../../packages/service/delivery/deliver_lane.ts";
import type { FailedAttempt } from "../../packages/service/delivery/event_deliveries.ts";
import { keepConnections } from "../../packages/service/delivery/kept_connections.ts";
import type { LaneStore } from "../../packages/service/delivery/lane_store.ts";
import type { EndpointConnection } from "../../packages/service/delivery/post_webhook.ts";
import type { LeasedLane } from "../../packages/service/delivery/webhook_lanes.ts";
import type { EventRow } from "../../packages/service/events/render_event.ts";

/** When delivery begins. */
export const START_MS = Date.UTC(2026, 0, 2);
/** What an attempt takes. */
export const ATTEMPT_MS = 10;
const LEASE_MS = 5_000;

/** What is in a lane, and what its endpoint does. */
export interface LaneStory {
  lane?: Partial<LeasedLane>;
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
  store?: Partial<LaneStore>;
  parts?: Partial<DeliveryParts>;
}

function open() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => resolve = done);
  return { promise, resolve };
}

function rowOf(sequence: number): EventRow {
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
function storeInMemory(lane: LeasedLane, clock: { ms: number }, story: LaneStory) {
  const { count = 3, due = [] } = story;
  const written: string[] = [];
  const attempts: Attempt[] = [];
  const inMs = (ms: number | null) => ms === null ? "never" : `in ${ms - clock.ms} ms`;
  const of = ({ sequence, attempts, status, reason, atMs }: FailedAttempt) =>
    `${sequence} failed ${attempts} (${status} ${reason}) after ${atMs - START_MS} ms`;
  /** Writes what is done, and moves the cursor as the database would. */
  const write = (what: string, next?: bigint) => {
    written.push(what);
    if (next !== undefined) Object.assign(lane, { nextSequence: next, attempts: 0 });
    return Promise.resolve(true);
  };
  const store: Partial<LaneStore> = {
    events: ({ fromSequence, limit }) => {
      const first = Number(fromSequence);
      const left = Math.max(0, Math.min(limit, count + 1 - first));
      return Promise.resolve(Array.from({ length: left }, (_, n) => rowOf(first + n)));
    },
    due: () => Promise.resolve(due.map(([sequence, attempts]) => ({ sequence, attempts }))),
    recordAttempts: (batch) => Promise.resolve(void attempts.push(...batch)),
    advance: (_, next) => write(`advance to ${next}`, next),
    hold: async (_, failed, ms) => void await write(`hold: ${of(failed)}, ${inMs(ms)}`),
    skip: (_, failed, ms) => write(`skip: ${of(failed)}, ${inMs(ms)}`, failed.sequence + 1n),
    disable: async (_, failed) => void await write(`disable: ${of(failed)}`),
    recordScheduledFailure: (_, failed, ms) => write(`schedule: ${of(failed)}, ${inMs(ms)}`),
    recordDelivery: (_, { sequence, atMs, status }) =>
      write(`delivered: ${sequence} (${status}) after ${atMs - START_MS} ms`),
    postponeDue: async (_, atMs, ms) =>
      void await write(`postpone what is due at ${atMs - START_MS} ms, ${inMs(ms)}`),
    release: async ({ settledTo }, ms) =>
      void await write(`release at ${ms - START_MS} ms, settled to ${settledTo}`),
    ...story.store,
  };
  return { store: store as LaneStore, written, attempts };
}

/** Makes an endpoint that answers as the story says. */
function endpointInMemory(clock: { ms: number }, story: LaneStory) {
  const { answers = {}, waitsFor = {}, isSlow = false, attemptMs = ATTEMPT_MS } = story;
  const sent: number[] = [];
  const atOnce: number[] = [];
  let inFlight = 0;
  let closed = 0;
  const answered = new Map<number, ReturnType<typeof open>>();
  const answerTo = (sequence: number) => {
    if (!answered.has(sequence)) answered.set(sequence, open());
    return answered.get(sequence)!;
  };
  const connection: EndpointConnection = {
    async post(_headers, body) {
      const { sequence } = JSON.parse(new TextDecoder().decode(body)) as { sequence: number };
      sent.push(sequence);
      atOnce.push(++inFlight);
      if (isSlow) await turn();
      if (waitsFor[sequence] !== undefined) await answerTo(waitsFor[sequence]).promise;
      inFlight--;
      clock.ms += attemptMs;
      answerTo(sequence).resolve();
      const status = answers[sequence] ?? 204;
      return status === 0
        ? { kind: "failed", reason: "ECONNRESET" }
        : { kind: "answered", status, retryAfter: undefined, address: "127.0.0.1:9000" };
    },
    close: () => void closed++,
  };
  return {
    connection,
    sent,
    /** How many events were in flight when each was sent, it included. */
    atOnce,
    closed: () => closed,
  };
}

/** Makes a lane whose store and endpoint are in memory, and the parts to deliver in it. */
export function laneInMemory(story: LaneStory) {
  const clock = { ms: START_MS };
  const now = () => clock.ms;
  const logged: unknown[][] = [];
  const seconds: unknown[][] = [];
  const lane: LeasedLane = {
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
  const { store, written, attempts } = storeInMemory(lane, clock, story);
  const { connection, ...endpoint } = endpointInMemory(clock, story);
  const log = (level: string) => (message: string, fields: object) =>
    void logged.push([level, message, fields]);
  const kept = keepConnections(() => connection, now);
  const parts: DeliveryParts = {
    store,
    attempts: createAttemptLog(store.recordAttempts),
    readSecrets: () => Promise.resolve([formatWebhookSecret(new Uint8Array(32))]),
    environment: "sandbox",
    policy: { allowLoopback: true, resolve: () => Promise.reject(new Error("asked")) },
    trust: {} as DeliveryParts["trust"],
    connections: kept,
    now,
    realNow: now,
    random: () => Uint8Array.of(128, 64),
    timeoutMs: 1_000,
    log: { warn: log("warn"), error: log("error") },
    metrics: { attempt: (...given) => void seconds.push(given) },
    pace: () => Promise.resolve(),
    mayContinue: () => true,
    ...story.parts,
  };
  return { lane, parts, clock, kept, written, attempts, logged, seconds, ...endpoint };
}

/** Delivers in such a lane. */
export async function deliverInMemory(story: LaneStory) {
  const { lane, parts, ...told } = laneInMemory(story);
  const hasMore = await deliverLane(parts, lane).catch((error: unknown) => error);
  return { ...told, hasMore };
}
