import { setTimeout as pause } from "node:timers/promises";
import { verifyWebhook } from "@sabika/protocol";
import type { TestCertificate } from "../support/test_certificates.ts";
import { type Received, startTestReceiver } from "../support/webhook_receiver.ts";

/** How the endpoint currently answers. */
export type Mood = "well" | "dead" | "slow" | "refusing";

/** The partners' webhook endpoint, which records the events that arrive. */
export interface Receiver {
  readonly port: number;
  /** Ids of the events that were accepted, by partner. */
  readonly taken: ReadonlyMap<number, ReadonlySet<string>>;
  /** Descriptions of deliveries with a wrong signature. */
  readonly forged: readonly string[];
  readonly deliveries: number;
  setMood(mood: Mood): void;
  close(): Promise<void>;
}

const SLOW_MS = 3_000;

/**
 * Opens the endpoint on the loopback; the path of its URL is the partner's number.
 *
 * @param secretOf returns a partner's webhook secret
 */
export async function openReceiver(
  certificate: TestCertificate,
  secretOf: (partner: number) => string,
): Promise<Receiver> {
  const taken = new Map<number, Set<string>>();
  const forged: string[] = [];
  let mood: Mood = "well";
  let deliveries = 0;
  /** @returns the status to answer with */
  const take = async ({ path, headers, body }: Received): Promise<number> => {
    if (mood === "slow") await pause(SLOW_MS);
    const partner = Number(path.slice(1));
    const id = String(headers["webhook-id"]);
    const verified = await verifyWebhook({
      secrets: [secretOf(partner)],
      headers: new Headers(headers),
      body,
      nowSeconds: Math.floor(Date.now() / 1_000),
    });
    if (!verified.ok) {
      forged.push(`${partner} ${id}: ${verified.reason}`);
      return 400;
    }
    const ids = taken.get(partner) ?? new Set();
    taken.set(partner, ids.add(id.slice(id.indexOf("_") + 1)));
    deliveries += 1;
    return 204;
  };
  const server = await startTestReceiver(certificate);
  server.behave = (received) => {
    server.received.length = 0;
    if (mood === "refusing") return { status: 500 };
    return (_request, response) => {
      if (mood !== "dead") void take(received).then((status) => response.writeHead(status).end());
    };
  };
  return {
    port: server.port,
    taken,
    forged,
    get deliveries() {
      return deliveries;
    },
    setMood: (next) => void (mood = next),
    close: server.close,
  };
}
