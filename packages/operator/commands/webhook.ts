import { buildRouteMap } from "@stricli/core";
import { acting } from "../command/acting.ts";
import { command, readFlag } from "../command/command.ts";
import { whole } from "../command/parsers.ts";
import { ID } from "./arguments.ts";
import { refreshKit } from "./kit_files.ts";
import { webhookDeliveries } from "./webhook_deliveries.ts";
import { webhookPing } from "./webhook_ping.ts";
import { webhookShow } from "./webhook_show.ts";

/** `sabika webhook …` */
export const webhook = buildRouteMap({
  docs: { brief: "Where a partner's events are sent to" },
  routes: {
    set: command<{ inFlight?: number }, [string, string]>({
      brief: "Set a partner's webhook URL and resume delivery",
      more: "https only, without user name; every address of its host must be public\n" +
        "(this machine is allowed in the sandbox). With one delivery in flight they arrive\n" +
        "strictly in sequence, with more (16 at first) up to 64 at once.",
      examples: [
        "webhook set bank-one https://hooks.bank-one.example/sabika",
        "webhook set bank-one https://hooks.bank-one.example/sabika --in-flight 1",
      ],
      flags: { inFlight: readFlag(whole, "Deliveries at once, 1 to 64", "NUMBER") },
      args: [ID, ["URL", "https://…"]],
      async run(session, { inFlight }, id, text) {
        const input = { partner: id, url: text, in_flight: inFlight };
        const url = await session.act("webhook.set", input);
        await refreshKit(session, id, { webhook_url: url });
        return { json: { client_id: id, webhook_url: url }, text: `${id}: ${url}\n` };
      },
    }),
    show: webhookShow,
    ping: webhookPing,
    deliveries: webhookDeliveries,
    redeliver: acting("webhook.redeliver", {
      brief: "Send a partner an event again",
      examples: ["webhook redeliver bank-one evt_019e9c5e-51b5-7aa0-8c44-2f3d5e6a7b80"],
      args: { partner: ID, event: ["EVENT", "evt_…, as webhook deliveries lists it"] },
      json: ({ partner, event }) => ({ client_id: partner, event_id: event, status: "pending" }),
      text: ({ partner, event }) => `${event} is on its way to ${partner}`,
    }),
    enable: acting("webhook.enable", {
      brief: "Deliver to a partner's endpoint again, and what waits at once",
      examples: ["webhook enable bank-one"],
      args: { partner: ID },
      json: ({ partner }) => ({ client_id: partner, enabled: true }),
      text: ({ partner }) => `${partner} is delivered to again`,
    }),
    disable: acting("webhook.disable", {
      brief: "Deliver nothing to a partner's endpoint; its events wait",
      more: "Until you enable it; the partner cannot.",
      examples: ["webhook disable bank-one"],
      args: { partner: ID },
      question: ({ partner }) => `Disable the endpoint of ${partner}? Its events wait from now on.`,
      json: ({ partner }) => ({ client_id: partner, enabled: false }),
      text: ({ partner }) => `${partner} is delivered nothing`,
    }),
  },
});
