import { formatId, formatWebhookSecret, uuidV7 } from "@sabika/protocol";
import { createWebhookWorker, type WebhookWorkerOptions } from "@sabika/service/delivery";
import { openAccounts } from "@sabika/service/ledger";
import { random } from "./random.ts";
import { testRecord } from "../secret_search/record.ts";
import { actsOn, clientIdOf } from "./acts.ts";
import { createTestAuthority, type TestCertificate } from "./test_certificates.ts";
import { openTestDatabase } from "./test_database.ts";
import { startTestReceiver, type TestReceiver } from "./webhook_receiver.ts";

/** An outbox with partners, a clock that the test moves, and a CA for receivers. */
export type TestOutbox = Awaited<ReturnType<typeof openTestOutbox>>;

interface ReceiverOptions {
  dns?: string[];
  /** A free port by default. */
  port?: number;
  certificate?: TestCertificate;
}

/** Opens an outbox on a new database. */
export async function openTestOutbox() {
  const [test, authority] = await Promise.all([openTestDatabase(), createTestAuthority()]);
  const { sql } = test.database;
  // Ahead of the database's clock, so that rows with a time of that clock are due.
  const clock = { ms: Date.now() + 60_000 };
  const secrets = new Map<number, string[]>();
  const logged: string[] = [];
  const receivers: TestReceiver[] = [];
  const write = (level: string) => (message: string, fields: Record<string, unknown>) => {
    logged.push(`${level} ${message} ${JSON.stringify(fields)}`);
  };
  return {
    test,
    clock,
    authority,
    logged,
    /** The webhook secrets by partner; a test changes them as a rotation would. */
    secrets,
    /** By default with one delivery in flight, so that events arrive in sequence. */
    async addPartner(webhookUrl: string | null, inFlight = 1) {
      const clientId = `bank-${crypto.randomUUID().slice(0, 8)}`;
      const [row] = await sql<{ partner_id: number }[]>`
        insert into partners (client_id, name, settlement_iban, webhook_url)
        values (${clientId}, 'Bank', 'SA0380000000608010167519', ${webhookUrl}) returning partner_id`;
      await openAccounts(sql, row!.partner_id);
      await sql`
        update webhook_lanes set in_flight = ${inFlight} where partner_id = ${row!.partner_id}`;
      const secret = formatWebhookSecret(random(32));
      testRecord.secretsIn(secret);
      secrets.set(row!.partner_id, [secret]);
      return row!.partner_id;
    },
    /** Schedules an event again as the operator does; false if the partner has no such event. */
    async redeliver(partnerId: number, event: string): Promise<boolean> {
      const partner = await clientIdOf(test.database, partnerId);
      return (await actsOn(test.database)("webhook.redeliver", { partner, event })).ok;
    },
    /** Opens an HTTPS receiver, by default with the CA's certificate for 127.0.0.1 and these names. */
    async receiver({ dns = [], port, certificate }: ReceiverOptions = {}): Promise<TestReceiver> {
      const pair = certificate ?? await authority.issue({ dns, ip: ["127.0.0.1"] });
      const receiver = await startTestReceiver(pair, port);
      receivers.push(receiver);
      return receiver;
    },
    /** Writes this many pings to the partner's outbox. */
    async writePings(partnerId: number, count: number) {
      const ids = Array.from({ length: count }, () => uuidV7(clock.ms, random));
      await sql`select write_event(${partnerId}::integer, e.id, 'ping', null,
          date_trunc('milliseconds', clock_timestamp()), format('{"n":%s}', e.number - 1))
        from unnest(${`{${ids.join()}}`}::uuid[]) with ordinality as e (id, number)`;
      return ids.map((id) => formatId("evt", id));
    },
    worker: (options: Partial<WebhookWorkerOptions> = {}) =>
      createWebhookWorker({
        database: test.app,
        readSecrets: (partnerId) => Promise.resolve(secrets.get(partnerId) ?? []),
        environment: "sandbox",
        endpointPolicy: { allowLoopback: true },
        extraCaPem: authority.certificatePem,
        now: () => clock.ms,
        // No jitter, but each worker has its own name.
        random: (length) => length === 2 ? new Uint8Array(length) : random(length),
        log: { warn: write("warn"), error: write("error") },
        timeoutMs: 5_000,
        ...options,
      }),
    /** Reads the partner's lane. */
    async lane(partnerId: number) {
      const [row] = await sql<
        { next: number; attempts: number; at: number; disabled_reason: string | null }[]
      >`
        select next_sequence::float8 as next, attempts, disabled_reason,
          (extract(epoch from next_attempt_at) * 1000)::float8 as at
        from webhook_lanes where partner_id = ${partnerId}`;
      const { next, attempts, at, disabled_reason } = row!;
      return { next, attempts, nextAttemptMs: Math.round(at), disabledReason: disabled_reason };
    },
    /** Reads the partner's rows of `event_deliveries`, by sequence. */
    deliveries: (partnerId: number) =>
      sql<{ sequence: number; state: string; attempts: number }[]>`
        select sequence::float8 as sequence, state, attempts from event_deliveries
        where partner_id = ${partnerId} order by sequence`.then((rows) =>
        rows.map((row) => ({ ...row }))
      ),
    async close() {
      for (const receiver of receivers) await receiver.close();
      testRecord.log("webhook-worker", logged.join("\n"));
      await test.close();
    },
  };
}
