import type { ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { verifyWebhook } from "@sabika/protocol";
import { pause } from "../faults/waiting.ts";

/** The partners' endpoint for webhooks, which counts what arrives. */
export type Receiver = Awaited<ReturnType<typeof openReceiver>>;

/** How it answers now. */
export type Mood = "well" | "dead" | "slow" | "refusing";

const SLOW_MS = 3_000;

/**
 * Opens it on the loopback; the path says which partner is meant.
 *
 * @param secretOf the webhook secret of a partner
 */
export async function openReceiver(
  certificate: { certificatePem: string; keyPem: string },
  secretOf: (partner: number) => string,
) {
  /** Ids of the events that were taken, by partner. */
  const taken = new Map<number, Set<string>>();
  const forged: string[] = [];
  let mood: Mood = "well";
  let deliveries = 0;
  const server = createServer(
    { cert: certificate.certificatePem, key: certificate.keyPem },
    async (request, response) => {
      response.on("error", () => {});
      const body = await text(request).catch(() => undefined);
      if (body === undefined || mood === "dead") return;
      if (mood === "refusing") return answer(response, 500);
      if (mood === "slow") await pause(SLOW_MS);
      const partner = Number(request.url!.slice(1));
      const { headers } = request;
      const verified = await verifyWebhook({
        secrets: [secretOf(partner)],
        headers: { get: (name) => headers[name] as string | undefined },
        body,
        nowSeconds: Math.floor(Date.now() / 1_000),
      });
      const id = String(headers["webhook-id"]);
      if (!verified.ok) {
        forged.push(`${partner} ${id}: ${verified.reason}`);
        return answer(response, 400);
      }
      const ids = taken.get(partner) ?? new Set();
      taken.set(partner, ids.add(id.slice(id.indexOf("_") + 1)));
      deliveries += 1;
      answer(response, 204);
    },
  );
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    taken,
    /** What was not signed as it should be. */
    forged,
    get deliveries() {
      return deliveries;
    },
    be: (next: Mood) => void (mood = next),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(response: ServerResponse, status: number): void {
  response.writeHead(status);
  response.end();
}
