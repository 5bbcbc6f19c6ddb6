import { EVENT_WITH_ATTEMPTS } from "@sabika/office/reads";
import type { DeliveryAttempt } from "@sabika/protocol";
import { command, readFlag } from "../command/command.ts";
import { whole } from "../command/parsers.ts";
import type { Session } from "../connect/session.ts";
import { findOne } from "../reads/read.ts";
import { ID } from "./arguments.ts";
import { findPartner } from "./partner_show.ts";
import { attemptJson, describeAttempt } from "./webhook_deliveries.ts";
import { describeEndpoint } from "./webhook_endpoint.ts";

/** How long to wait by default: longer than one attempt may take. */
const WAIT_SECONDS = 20;
const PAUSE_MS = 200;

/** `sabika webhook ping`: sends an event, and shows what the endpoint answered. */
export const webhookPing = command<{ wait?: number }, [string]>({
  brief: "Send a partner a ping event through the outbox and wait for the answer",
  more: "Exit code 1 when it is not taken, or not tried in time.",
  examples: ["webhook ping bank-one", "webhook ping bank-one --wait 60"],
  flags: {
    wait: readFlag(whole, `How long to wait for an answer (${WAIT_SECONDS})`, "SECONDS"),
  },
  args: [ID],
  async run(session, { wait = WAIT_SECONDS }, id) {
    const { eventId } = await session.act("webhook.ping", { partner: id });
    const attempt = await awaitAttempt(session, eventId, wait * 1_000);
    const state = attempt ? null : (await findPartner(session, id)).endpoint;
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
  session: Session,
  eventId: string,
  patienceMs: number,
): Promise<DeliveryAttempt | undefined> {
  for (const startedMs = performance.now();;) {
    const story = await findOne(session, EVENT_WITH_ATTEMPTS, { path: { id: eventId } });
    const attempt = story?.attempts[0];
    if (attempt !== undefined || performance.now() - startedMs >= patienceMs) return attempt;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
