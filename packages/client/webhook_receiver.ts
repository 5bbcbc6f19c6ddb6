import { eventFromJson, HEADER, parseJson, verifyWebhook } from "@sabika/protocol";
import type { ReceivedEvent } from "@sabika/protocol";

/** Looks up a header by its lower-case name. */
export interface HeaderLookup {
  /** Returns its value; null or undefined if it is not there. */
  get(name: string): string | null | undefined;
}

/** A delivery as the web server received it. */
export interface ReceivedWebhook {
  /** The headers of a `Request`, or Node's own, by lower-case name, as Express and Fastify have them. */
  headers: HeaderLookup | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The raw body, before any parsing. */
  body: Uint8Array | string;
}

/** The answer to a delivery. */
export interface WebhookAnswer {
  /** After 204 the event is not delivered again; after any other status it is. */
  status: 204 | 400 | 401 | 500;
  /** The reason, for the receiver's log; do not send it. */
  reason?: string;
}

/**
 * Remembers which events were handled. In production use a table with a unique column, written in the
 * transaction of the event's effect; {@link seenInMemory} is for trials.
 */
export interface SeenWebhooks {
  /** Returns whether the event was handled. */
  has(id: string): boolean | Promise<boolean>;
  /** Records that the event was handled. */
  add(id: string): void | Promise<void>;
}

/** The options of a receiver. */
export interface WebhookReceiverOptions {
  /** The secrets (`whsec_…`) that may have signed; two during a rotation. */
  secrets: readonly string[];
  /** Handles an event. If it throws, the delivery is answered with 500 and repeated. */
  handle: (event: ReceivedEvent) => void | Promise<void>;
  /** Remembers the events that were handled; {@link seenInMemory} by default. */
  seen?: SeenWebhooks;
  /** The clock, in epoch milliseconds. */
  now?: () => number;
}

/**
 * Creates a receiver of webhooks for any web server. It verifies the signature over the raw body,
 * handles each event once (deliveries are at least once, Decision D35), and returns the answer.
 *
 * @example With the web server of Node
 * ```ts
 * import { createServer } from "node:http";
 * import { createWebhookReceiver } from "@sabika/client";
 *
 * const receive = createWebhookReceiver({
 *   secrets: ["whsec_c2VjcmV0IHNlY3JldCBzZWNyZXQgc2VjcmV0"],
 *   handle: (event) => console.log(event.sequence, event.type),
 * });
 * createServer(async (request, response) => {
 *   const chunks: Uint8Array[] = [];
 *   for await (const chunk of request) chunks.push(chunk);
 *   const { status } = await receive({ headers: request.headers, body: Buffer.concat(chunks) });
 *   response.writeHead(status).end();
 * });
 * ```
 */
export function createWebhookReceiver(
  options: WebhookReceiverOptions,
): (webhook: ReceivedWebhook) => Promise<WebhookAnswer> {
  const receive = receiverOf(options);
  return (webhook) => receive(webhook, options.handle);
}

/**
 * Creates a handler of standard requests, for `Deno.serve`, a route of Hono or Next.js, and the like.
 *
 * @param receiver a receiver, or the options of `createWebhookReceiver`
 * @example
 * ```ts
 * import { createWebhookHandler } from "@sabika/client";
 *
 * const handler = createWebhookHandler({
 *   secrets: ["whsec_c2VjcmV0IHNlY3JldCBzZWNyZXQgc2VjcmV0"],
 *   handle: (event) => console.log(event.sequence, event.type),
 * });
 * const request = new Request("https://bank.example/webhooks", { method: "POST", body: "{}" });
 * console.log((await handler(request)).status); // 401: it is not signed
 * ```
 */
export function createWebhookHandler(
  receiver: WebhookReceiverOptions | ((webhook: ReceivedWebhook) => Promise<WebhookAnswer>),
): (request: Request) => Promise<Response> {
  const receive = typeof receiver === "function" ? receiver : createWebhookReceiver(receiver);
  return async (request) => {
    const body = new Uint8Array(await request.arrayBuffer());
    const { status } = await receive({ headers: request.headers, body });
    return new Response(null, { status });
  };
}

/** Creates a receiver that gets the handler with each delivery. */
export function receiverOf(
  { secrets, seen = seenInMemory(), now = Date.now }: Omit<WebhookReceiverOptions, "handle">,
): (
  webhook: ReceivedWebhook,
  handle: WebhookReceiverOptions["handle"],
) => Promise<WebhookAnswer> {
  /** The deliveries in progress: another delivery of the same event waits for the outcome. */
  const inProgress = new Map<string, Promise<WebhookAnswer>>();

  async function handleOnce(
    event: ReceivedEvent,
    handle: WebhookReceiverOptions["handle"],
  ): Promise<WebhookAnswer> {
    try {
      if (await seen.has(event.id)) return { status: 204, reason: "seen_before" };
      await handle(event);
      await seen.add(event.id);
      return { status: 204 };
    } catch {
      return { status: 500, reason: "handler_failed" };
    }
  }

  return async (webhook, handle) => {
    const event = await openWebhook(webhook, secrets, now);
    if ("status" in event) return event;
    const answer = inProgress.get(event.id) ??
      handleOnce(event, handle).finally(() => inProgress.delete(event.id));
    inProgress.set(event.id, answer);
    return await answer;
  };
}

/** Verifies a delivery; returns its event, or the answer that refuses it. */
export async function openWebhook(
  { headers: received, body }: ReceivedWebhook,
  secrets: readonly string[],
  now: () => number,
): Promise<ReceivedEvent | WebhookAnswer> {
  const nowSeconds = Math.floor(now() / 1000);
  const headers = lookupOf(received);
  const verified = await verifyWebhook({ secrets, headers, body, nowSeconds });
  if (!verified.ok) return { status: 401, reason: verified.reason };
  try {
    const text = typeof body === "string" ? body : new TextDecoder().decode(body);
    const event = eventFromJson(parseJson(text));
    // The signature covers the id in the header, which must be that of the event in the body.
    if (event.id === headers.get(HEADER.webhookId)) return event;
    return { status: 400, reason: "id_mismatch" };
  } catch {
    return { status: 400, reason: "body_unreadable" };
  }
}

function lookupOf(headers: ReceivedWebhook["headers"]): HeaderLookup {
  if (typeof headers.get === "function") return headers as HeaderLookup;
  const values = headers as Exclude<ReceivedWebhook["headers"], HeaderLookup>;
  return { get: (name) => values[name]?.toString() };
}

const REMEMBERED = 10_000;

/**
 * Remembers the last ten thousand ids in memory, until the program ends.
 *
 * @example
 * ```ts
 * import { seenInMemory } from "@sabika/client";
 *
 * const seen = seenInMemory();
 * await seen.add("evt_1");
 * console.log(await seen.has("evt_1")); // true
 * ```
 */
export function seenInMemory(): SeenWebhooks {
  const ids = new Set<string>();
  return {
    has: (id) => ids.has(id),
    add(id) {
      ids.add(id);
      const [oldest] = ids;
      if (ids.size > REMEMBERED && oldest !== undefined) ids.delete(oldest);
    },
  };
}
