import { once } from "node:events";
import { createServer } from "node:https";
import { createWebhookReceiver, type Kit, type ReceivedEvent } from "@sabika/client";

/** A webhook that arrived with a valid signature. */
export interface Delivery {
  event: ReceivedEvent;
  /** The three signed headers and the body as they came. */
  headers: Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>;
  body: string;
}

/** The https endpoint of a kit on this machine, as a partner would run it. */
export interface EventReceiver {
  url: string;
  /** Waits for an event that `matches`, also among the last 1000; undefined after `patienceMs`. */
  waitFor(
    matches: (event: ReceivedEvent) => boolean,
    patienceMs: number,
  ): Promise<Delivery | undefined>;
  /** Called with every event that is verified and new; the caller may replace it. */
  onDelivery: (delivery: Delivery) => void;
  close(): Promise<void>;
}

const LONGEST_BODY = 1_000_000;

/**
 * Listens at the kit's webhook URL with the kit's receiver certificate; `now` returns epoch milliseconds.
 *
 * @returns undefined when the endpoint is elsewhere or in use, or the kit lacks its certificate or secret
 */
export async function openEventReceiver(
  kit: Kit,
  now: () => number,
): Promise<EventReceiver | undefined> {
  const url = kit.webhookUrl === null ? undefined : new URL(kit.webhookUrl);
  const isHere = url !== undefined && ["127.0.0.1", "localhost"].includes(url.hostname);
  if (!isHere || kit.receiver === null || kit.webhookSecret === null) return undefined;

  const arrived: Delivery[] = [];
  const waiting = new Set<() => void>();
  const handled = new Map<string, ReceivedEvent>();
  const receive = createWebhookReceiver({
    secrets: [kit.webhookSecret],
    handle: (event) => void handled.set(event.id, event),
    now,
  });
  const server = createServer(
    { cert: kit.receiver.certificatePem, key: kit.receiver.privateKeyPem, minVersion: "TLSv1.2" },
    async (request, response) => {
      if (request.method !== "POST" || request.url !== url.pathname) {
        response.writeHead(404).end();
        return;
      }
      const chunks: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of request) {
        size += (chunk as Uint8Array).length;
        if (size > LONGEST_BODY) {
          response.writeHead(413).end();
          return;
        }
        chunks.push(chunk as Uint8Array);
      }
      const body = new TextDecoder().decode(Buffer.concat(chunks));
      const header = (name: string) => String(request.headers[name] ?? "");
      const answer = await receive({ headers: { get: header }, body });
      response.writeHead(answer.status).end();
      const event = handled.get(header("webhook-id"));
      handled.delete(header("webhook-id"));
      if (event === undefined) return; // refused, or seen before
      const delivery: Delivery = {
        event,
        headers: {
          "webhook-id": header("webhook-id"),
          "webhook-timestamp": header("webhook-timestamp"),
          "webhook-signature": header("webhook-signature"),
        },
        body,
      };
      arrived.push(delivery);
      if (arrived.length > 1000) arrived.shift();
      receiver.onDelivery(delivery);
      for (const wake of waiting) wake();
    },
  );
  try {
    server.listen({ port: Number(url.port) || 443, host: "127.0.0.1", exclusive: true });
    await once(server, "listening");
  } catch (error) {
    if ((error as { code?: string }).code === "EADDRINUSE") return undefined;
    throw error;
  }
  const receiver: EventReceiver = {
    url: url.href,
    onDelivery: () => {},
    waitFor: (matches, patienceMs) =>
      new Promise((resolve) => {
        const check = () => {
          const found = arrived.find(({ event }) => matches(event));
          if (found !== undefined) end(found);
        };
        const end = (found?: Delivery) => {
          clearTimeout(timer);
          waiting.delete(check);
          resolve(found);
        };
        const timer = setTimeout(end, patienceMs);
        waiting.add(check);
        check();
      }),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
  return receiver;
}
