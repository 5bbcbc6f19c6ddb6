import { createReading, type Reading } from "@sabika/core/trading";
import { type DeliveryAttempt, parseId } from "@sabika/protocol";
import { command, readFlag } from "../command/command.ts";
import { whole } from "../command/parsers.ts";
import { databaseOf } from "../connect/cell_databases.ts";
import { ID } from "./arguments.ts";
import { findPartner } from "./partner_show.ts";
import { attemptJson, describeAttempt } from "./webhook_deliveries.ts";
import { describeEndpoint } from "./webhook_endpoint.ts";

/** Longer than an attempt may take. */
const WAIT_SECONDS = 20;
const PAUSE_MS = 200;

/** `sabika webhook ping`: the event, and what the endpoint answered. */
export const webhookPing = command<{ wait?: number }, [string]>({
  act: "webhook.ping",
  brief: "Send a partner a ping event through the outbox and wait for the answer",
  more: "Exit code 1 when it is not taken, or not tried in time.",
  examples: ["webhook ping bank-one", "webhook ping bank-one --wait 60"],
  flags: {
    wait: readFlag(whole, `How long to wait for an answer (${WAIT_SECONDS})`, "SECONDS"),
  },
  args: [ID],
  async run(session, { wait = WAIT_SECONDS }, id) {
    const { eventId } = await session.act("webhook.ping", { partner: id });
    const { partnerId, cellId } = await findPartner(await session.database(), id);
    const [database, environment] = [
      await databaseOf(session, cellId),
      await session.environment(),
    ];
    const reading = createReading({ database, environment, now: () => session.nowMs });
    const attempt = await awaitAttempt(reading, { partnerId, eventId }, wait * 1_000);
    const state = attempt ? undefined : await reading.webhookEndpoint({ partnerId });
    return {
      json: {
        client_id: id,
        event_id: eventId,
        attempt: attempt === undefined ? null : attemptJson(attempt),
      },
      text: attempt
        ? `${eventId} to ${id}: ${describeAttempt(attempt)}\n`
        : `${eventId} was not tried in ${wait} s: the endpoint is ` +
          `${describeEndpoint(state, session.nowMs)}; does a server with deliveries run?\n`,
      failed: wait > 0 && attempt?.failure !== null,
    };
  },
});

async function awaitAttempt(
  reading: Reading,
  { partnerId, eventId }: { partnerId: number; eventId: string },
  patienceMs: number,
): Promise<DeliveryAttempt | undefined> {
  const of = { partnerId, eventId: parseId("evt", eventId)!, limit: 1 };
  for (const startedMs = performance.now();;) {
    const listing = await reading.listAttempts(of);
    const [attempt] = listing?.ok ? listing.page.data : [];
    if (attempt !== undefined || performance.now() - startedMs >= patienceMs) return attempt;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
