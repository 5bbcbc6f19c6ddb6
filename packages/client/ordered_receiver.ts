import type { ReceivedEvent } from "@sabika/protocol";
import { wait as waitFor } from "./backoff.ts";
import type { SequenceStore } from "./sequence_store.ts";
import { openWebhook, type ReceivedWebhook, type WebhookAnswer } from "./webhook_receiver.ts";

/** The options of a receiver that handles events in sequence. */
export interface OrderedReceiverOptions<Transaction> {
  /** The secrets (`whsec_…`) that may have signed; two during a rotation. */
  secrets: readonly string[];
  /**
   * Handles one event at a time. If it throws, no later event is handled until this event is
   * delivered again and succeeds.
   *
   * @param transaction the transaction of the store's step: writes in it have effect exactly once
   */
  handle: (event: ReceivedEvent, transaction: Transaction) => void | Promise<void>;
  /** Stores the number of the next event. */
  sequence: SequenceStore<Transaction>;
  /** Fetches events after a sequence number, oldest first, that no webhook delivered: `client.events`. */
  events: (
    filter: { afterSequence: number; limit: number },
  ) => PromiseLike<{ readonly data: readonly ReceivedEvent[] }>;
  /** How long to wait for missing earlier events before fetching them; 200 by default. */
  patienceMs?: number;
  /** The clock, in epoch milliseconds. */
  now?: () => number;
  /** Waits for a number of milliseconds. */
  wait?: (ms: number) => Promise<void>;
}

const PATIENCE_MS = 200;
/** The number of events in a page. */
const LIMIT_MAX = 100;

/**
 * Creates a receiver that handles each event once and in sequence, in whatever order deliveries come:
 * repeats are acknowledged and dropped, early events wait for earlier ones, and missing events are
 * fetched.
 *
 * @example
 * ```ts
 * import { createClient, createOrderedReceiver, openKit, sequenceInMemory } from "@sabika/client";
 *
 * const kit = await openKit(".sabika/partners/demo");
 * const client = createClient(kit);
 * const receive = createOrderedReceiver({
 *   secrets: [kit.webhookSecret!],
 *   sequence: sequenceInMemory(), // sequenceInPostgres in production
 *   events: client.events,
 *   handle: (event) => console.log(event.sequence, event.type),
 * });
 * console.log((await receive({ headers: new Headers(), body: "{}" })).status); // 401: not signed
 * await client.close();
 * ```
 */
export function createOrderedReceiver<Transaction>(
  options: OrderedReceiverOptions<Transaction>,
): (webhook: ReceivedWebhook) => Promise<WebhookAnswer> {
  const { secrets, handle, sequence, events, now = Date.now, wait = waitFor } = options;
  const { patienceMs = PATIENCE_MS } = options;
  /** Delivered and fetched events that wait for their turn, by sequence number. */
  const held = new Map<number, ReceivedEvent>();
  const fetched = new Map<number, ReceivedEvent>();
  let next: number | undefined;
  let turn: Promise<void> | undefined;

  /** Handles the next event. */
  async function handleNext(): Promise<void> {
    const number = next ??= await sequence.next();
    const event = held.get(number) ?? fetched.get(number) ?? await missing(number);
    const isDone = await sequence.step(number, async (transaction) => {
      await handle(event, transaction);
    });
    fetched.delete(number);
    // Otherwise another process has handled the event.
    next = isDone ? number + 1 : await sequence.next();
  }

  async function missing(number: number): Promise<ReceivedEvent> {
    await wait(patienceMs);
    const delivered = held.get(number);
    if (delivered !== undefined) return delivered;
    const until = Math.min(...[...held.keys()].filter((sequence) => sequence > number));
    const limit = Math.min(Math.max(until - number, 1), LIMIT_MAX);
    const { data } = await events({ afterSequence: number - 1, limit });
    fetched.clear();
    for (const event of data) fetched.set(event.sequence, event);
    const found = fetched.get(number);
    if (found === undefined) throw new Error(`the service has no event ${number}`);
    return found;
  }

  return async (webhook) => {
    const event = await openWebhook(webhook, secrets, now);
    if ("status" in event) return event;
    try {
      if (event.sequence < (next ??= await sequence.next())) {
        return { status: 204, reason: "seen_before" };
      }
      held.set(event.sequence, event);
      while (event.sequence >= (next ??= await sequence.next())) {
        await (turn ??= handleNext().finally(() => turn = undefined));
      }
      return { status: 204 };
    } catch {
      // The number is unknown now: the step may have succeeded, and only its answer may be lost.
      next = undefined;
      return { status: 500, reason: "handler_failed" };
    } finally {
      held.delete(event.sequence);
    }
  };
}
