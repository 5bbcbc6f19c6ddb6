// Receives webhooks. Node: npx tsx receive.ts KIT URL, Deno: deno run -A receive.ts KIT URL
import { createServer } from "node:https";
import process from "node:process";
import { createWebhookReceiver, openKit } from "@sabika/client";

const kit = await openKit(process.argv[2] ?? ".sabika/partners/demo");
const receive = createWebhookReceiver({
  secrets: [kit.webhookSecret!], // Two secrets during a rotation.
  handle(event) {
    // Called once for each event. If it throws, the event is delivered again later.
    if (event.type === "order.executed") console.log(event.sequence, event.type, event.object.id);
    else console.log(event.sequence, event.type);
  },
});

const server = createServer(
  // The sandbox's kit has a certificate for this; elsewhere it is your web server's.
  { cert: kit.receiver!.certificatePem, key: kit.receiver!.privateKeyPem },
  async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { status } = await receive({ headers: request.headers, body: Buffer.concat(chunks) });
    response.writeHead(status).end();
  },
);
const { hostname, port, href } = new URL(process.argv[3] ?? kit.webhookUrl!);
server.listen(Number(port), hostname, () => console.log(`listening at ${href}`));
