import { once } from "node:events";
import { createServer } from "node:https";
import type { Kit } from "../../kit.ts";
import { createWebhookReceiver } from "../../webhook_receiver.ts";

/** The receiver of a rehearsal of the SDK itself. */
export interface Receiver {
  /** The ids of the events, in the order in which they were handled. */
  readonly handled: readonly string[];
  close(): void;
}

/** Receives a kit's webhooks on this machine; undefined if the kit cannot, or something listens there already. */
export async function receive(kit: Kit): Promise<Receiver | undefined> {
  const { webhookUrl, webhookSecret, receiver } = kit;
  if (webhookUrl === null || webhookSecret === null || receiver === null) return undefined;
  const handled: string[] = [];
  const answer = createWebhookReceiver({
    secrets: [webhookSecret],
    handle: ({ id }) => void handled.push(id),
  });
  const server = createServer(
    { cert: receiver.certificatePem, key: receiver.privateKeyPem },
    async (request, response) => {
      try {
        const chunks: Uint8Array[] = [];
        for await (const chunk of request) chunks.push(chunk);
        const headers = { get: (name: string) => request.headers[name]?.toString() };
        const { status } = await answer({ headers, body: Buffer.concat(chunks) });
        response.writeHead(status).end();
      } catch {
        response.destroy(); // The connection was closed before the answer.
      }
    },
  );
  const { port, hostname } = new URL(webhookUrl);
  server.listen(Number(port) || 443, hostname);
  try {
    await once(server, "listening");
  } catch {
    return undefined;
  }
  return {
    handled,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
