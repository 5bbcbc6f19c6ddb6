import type { WebhookCourse } from "@sabika/protocol";
import {
  type Case,
  demand,
  newKey,
  quoteOf,
  scenario,
  type Stage,
  succeed,
  until,
} from "./stage.ts";

/** Makes an order; returns the id of its event. */
async function executed(stage: Stage, quote_id: string): Promise<string> {
  const id = await succeed(stage, { do: "order", quote_id, key: newKey() });
  const { data } = await stage.examiner.events({ limit: 20 });
  const event = data.find((event) => event.type === "order.executed" && event.object.id === id);
  demand(event !== undefined, `${id} has no event`);
  return event.id;
}

const isAccepted = (status: number | null) => status !== null && status >= 200 && status < 300;

/** The statuses with which the endpoint answered an event, oldest first, once there are so many. */
async function answers({ examiner, ...stage }: Stage, event: string, count: number) {
  let statuses: (number | null)[] = [];
  await until({ examiner, ...stage }, async () => {
    const { data } = await examiner.deliveryAttempts(event);
    statuses = data.map(({ status }) => status).reverse();
    return statuses.filter(isAccepted).length > 0 && statuses.length >= count;
  }, "your endpoint did not accept the event");
  return statuses;
}

/** Demands that the integration handled each event once, if it says what it handled. */
async function handledOnce({ integration, ...stage }: Stage, events: string[]): Promise<void> {
  let seen: string[] = [];
  await until({ integration, ...stage }, async () => {
    const result = await integration.do({ do: "handled" });
    if (!result.ok) return true;
    seen = (result.events ?? []).filter((id) => events.includes(id));
    return seen.length >= events.length;
  }, "an event was accepted but not handled");
  demand(new Set(seen).size === seen.length, "an event was handled twice");
}

/** Two orders whose events come as the course says. */
const held = (
  title: string,
  holds: string,
  comes: WebhookCourse,
  judge: (stage: Stage, events: string[]) => Promise<void>,
): Case => ({
  title,
  holds,
  async run(stage) {
    const quotes = [await quoteOf(stage), await quoteOf(stage)];
    await scenario(stage, { webhooks: { comes, afterSeconds: 2 } });
    const events: string[] = [];
    for (const quote of quotes) events.push(await executed(stage, quote));
    await judge(stage, events);
    await handledOnce(stage, events);
  },
});

const allAccepted = async (stage: Stage, events: string[], count: number) => {
  for (const event of events) {
    const statuses = await answers(stage, event, count);
    demand(statuses.every(isAccepted), `answered with ${statuses.join(", ")}`);
  }
};

/** Events at the partner's endpoint. */
export const WEBHOOKS: readonly Case[] = [
  {
    title: "An order's event is delivered",
    holds: "verified, answered with 2xx, handled once",
    async run(stage) {
      const event = await executed(stage, await quoteOf(stage));
      await allAccepted(stage, [event], 1);
      await handledOnce(stage, [event]);
    },
  },
  held(
    "Events come late",
    "answered with 2xx, each handled once",
    "late",
    (stage, events) => allAccepted(stage, events, 1),
  ),
  held(
    "Events come twice",
    "both times answered with 2xx, each handled once",
    "twice",
    (stage, events) => allAccepted(stage, events, 2),
  ),
  held(
    "Events come out of order",
    "answered with 2xx in the end, each handled once",
    "out_of_order",
    async (stage, events) => {
      for (const event of events) await answers(stage, event, 1);
    },
  ),
  held(
    "Events come signed with a secret that has ended",
    "refused, and then accepted with the right signature; each handled once",
    "old_secret",
    async (stage, events) => {
      for (const event of events) {
        const [first, ...others] = await answers(stage, event, 2);
        demand(!isAccepted(first!), `the wrong signature was answered with ${first}`);
        demand(others.some(isAccepted), `the right one was answered with ${others.join(", ")}`);
      }
    },
  ),
];
