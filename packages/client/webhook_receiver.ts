import { eventFromJson, HEADER, parseJson, verifyWebhook } from "@sabika/protocol";
import type { ReceivedEvent } from "@sabika/protocol";

/** A delivery as the web server has it; the body raw, before any parsing. */
export interface ReceivedWebhook {
  headers: { get(name: string): string | null | undefined };
  body: Uint8Array | string;
}

/** What to answer the delivery with. */
export interface WebhookAnswer {
  status: 204 | 400 | 401 | 500;
  /** For the receiver's own log; not to be sent. */
  reason?: string;
}

/**
 * Remembers which events were handled. In production it is a table with a unique column, written
 * in the same transaction as the event's effect; {@link seenInMemory} serves for a trial.
 */
export interface SeenWebhooks {
  has(id: string): boolean | Promise<boolean>;
  add(id: string): void | Promise<void>;
}

export interface WebhookReceiverOptions {
  /** The `whsec_…` secrets that may sign: two during a rotation. */
  secrets: string[];
  /** Does the work. When it throws, the delivery is answered with 500 and comes again. */
  handle: (event: ReceivedEvent) => void | Promise<void>;
  seen?: SeenWebhooks;
  /** Epoch milliseconds. */
  now?: () => number;
}

/**
 * Makes a receiver of webhooks for any web server: it verifies the signature over the raw body,
 * lets each event through once (deliveries are at least once, Decision D35), and says what to answer.
 *
 * @example
 * const receive = createWebhookReceiver({ secrets: [kit.webhookSecret], handle: (event) => … });
 * const answer = await receive({ headers: request.headers, body: await request.text() });
 * return new Response(null, { status: answer.status });
 */
export function createWebhookReceiver(
  options: WebhookReceiverOptions,
): (webhook: ReceivedWebhook) => Promise<WebhookAnswer> {
  const { secrets, handle, seen = seenInMemory(), now = Date.now } = options;
  /** Two deliveries of one event at once: the second waits for the first one's outcome. */
  const underWay = new Map<string, Promise<WebhookAnswer>>();

  async function handleOnce(id: string, body: Uint8Array | string): Promise<WebhookAnswer> {
    let event: ReceivedEvent;
    try {
      const text = typeof body === "string" ? body : new TextDecoder().decode(body);
      event = eventFromJson(parseJson(text));
    } catch {
      return { status: 400, reason: "body_unreadable" };
    }
    // The id in the header is the one that is signed with the body; they must be the same event.
    if (event.id !== id) return { status: 400, reason: "id_mismatch" };
    try {
      if (await seen.has(id)) return { status: 204, reason: "seen_before" };
      await handle(event);
      await seen.add(id);
      return { status: 204 };
    } catch {
      return { status: 500, reason: "handler_failed" };
    }
  }

  return async ({ headers, body }) => {
    const nowSeconds = Math.floor(now() / 1000);
    const verified = await verifyWebhook({ secrets, headers, body, nowSeconds });
    if (!verified.ok) return { status: 401, reason: verified.reason };
    const id = headers.get(HEADER.webhookId)!;
    const answer = underWay.get(id) ?? handleOnce(id, body).finally(() => underWay.delete(id));
    underWay.set(id, answer);
    return await answer;
  };
}

const REMEMBERED = 10_000;

/** Remembers the last ten thousand ids, until the program ends. */
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
