import { command } from "../command/command.ts";
import { list } from "../command/table.ts";
import { ID } from "./arguments.ts";
import { findPartner } from "./partner_show.ts";
import { describeEndpoint, endpointJson } from "./webhook_endpoint.ts";

/** `sabika webhook show`: where a partner's events go, and the state of that endpoint. */
export const webhookShow = command<object, [string]>({
  brief: "Show where a partner's events are sent to, how that stands, and what waits",
  examples: ["webhook show bank-one"],
  args: [ID],
  async run(session, _flags, id) {
    const { clientId, webhookUrl, endpoint } = await findPartner(session, id);
    return {
      json: {
        client_id: clientId,
        webhook_url: webhookUrl,
        webhook: endpointJson(endpoint),
      },
      text: list([
        ["client id", clientId],
        ["webhook URL", webhookUrl],
        ["state", describeEndpoint(endpoint, session.nowMs)],
        ["deliveries at once", endpoint?.inFlight ?? null],
        ["events that wait", endpoint?.pendingEvents ?? null],
        ["oldest of them", endpoint?.oldestPending?.id ?? null],
      ]),
    };
  },
});
