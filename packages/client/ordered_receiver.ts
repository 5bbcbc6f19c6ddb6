import type { ReceivedEvent } from "@sabika/protocol";
import { wait as waitFor } from "./backoff.ts";
import type { SequenceStore } from "./sequence_store.ts";
import { openWebhook, type ReceivedWebhook, type WebhookAnswer } from "./webhook_receiver.ts";

/** What a receiver works with that handles events in their sequence. */
export interface OrderedReceiverOptions<Transaction> {
  /** The `whsec_…` secrets that may sign: two during a rotation. */
  secrets: readonly string[];
  /**
   * Does the work, for one event at a time. When it throws, nothing behind the event is handled until
   * it comes again and succeeds.
   *
   * @param transaction what the store's step is part of: what is written there is written once
   */
  handle: (event: ReceivedEvent, transaction: Transaction) => void | Promise<void>;
  /** How far the receiver is. */
  sequence: SequenceStore<Transaction>;
  /** Fetches events that no webhook has brought, oldest first: `client.events`. */
  events: (
    filter: { afterSequence: number; limit: number },
  ) => PromiseLike<{ readonly data: readonly ReceivedEvent[] }>;
  /** How long those before an early event are waited for until they are fetched; 200 ms. */
  patienceMs?: number;
  /** Epoch milliseconds. */
  now?: () => number;
  /** Waits. */
  wait?: (ms: number) => Promise<void>;
}

const PATIENCE_MS = 200;
/** Events to a page. */
const LIMIT_MAX = 100;

/**
 * Makes a receiver that handles each event once and in sequence, whatever order deliveries come in:
 * repeats are acknowledged and dropped, early ones wait for those before them, and what does not come
 * is fetched.
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
  /** Deliveries that wait for their turn, and events that were fetched. */
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
    // Otherwise another process was there first.
    next = isDone ? number + 1 : await sequence.next();
  }

  async function missing(number: number): Promise<ReceivedEvent> {
    await wait(patienceMs);
    const come = held.get(number);
    if (come !== undefined) return come;
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
      // What is known may be wrong now, as after an answer of the database that was lost.
      next = undefined;
      return { status: 500, reason: "handler_failed" };
    } finally {
      held.delete(event.sequence);
    }
  };
}
