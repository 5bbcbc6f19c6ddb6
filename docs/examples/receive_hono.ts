// Receives webhooks with Hono, each event once and in sequence, even if it is killed; its position is stored
// in PostgreSQL. Node: npx tsx receive_hono.ts KIT DATABASE_URL
import { createServer } from "node:https";
import process from "node:process";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import postgres from "postgres";
import {
  createClient,
  createOrderedReceiver,
  createWebhookHandler,
  openKit,
  sequenceInPostgres,
} from "@sabika/client";

const kit = await openKit(process.argv[2] ?? ".sabika/partners/demo");
const client = createClient(kit);
const sql = postgres(process.argv[3] ?? "postgres://127.0.0.1/bank", { onnotice: () => {} });
await sql`create table if not exists sabika_receivers (
  name text primary key, next_sequence bigint not null)`;
await sql`create table if not exists news (position serial, sequence bigint not null, type text)`;

const receive = createOrderedReceiver({
  secrets: [kit.webhookSecret!], // Two secrets during a rotation.
  events: client.events, // Fetches events that no webhook has delivered.
  sequence: sequenceInPostgres({
    begin: (work) => sql.begin((tx) => work((text, values) => tx.unsafe(text, values))),
  }),
  async handle(event, query) {
    // In the transaction that marks the event as handled: both are committed, or neither.
    await query("insert into news (sequence, type) values ($1, $2)", [event.sequence, event.type]);
  },
});
const handle = createWebhookHandler(receive);

const { hostname, port, pathname, href } = new URL(kit.webhookUrl!);
const app = new Hono();
app.post(pathname, (c) => handle(c.req.raw));
serve({
  fetch: app.fetch,
  hostname,
  port: Number(port),
  createServer,
  // The sandbox's kit has a certificate for this; elsewhere it is your web server's.
  serverOptions: { cert: kit.receiver!.certificatePem, key: kit.receiver!.privateKeyPem },
}, () => console.log(`listening at ${href}`));
