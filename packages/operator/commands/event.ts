import { buildRouteMap } from "@stricli/core";
import { DELIVERY_ATTEMPTS, EVENT_WITH_ATTEMPTS, PARTNERS_EVENTS } from "@sabika/office/reads";
import { parseJson } from "@sabika/protocol";
import { columnsOf, itemOf, listed } from "../command/columns.ts";
import { command } from "../command/command.ts";
import { details } from "../command/details.ts";
import { jsonOf } from "../command/json.ts";
import { readCommands } from "../command/read_commands.ts";
import { notFound } from "../outcome.ts";
import { findOne } from "../reads/read.ts";

const show = command<object, [string]>({
  brief: "Show an event, what it is about, and every attempt to deliver it",
  examples: ["event show evt_019e9c5e-51b5-7aa0-8c44-2f3d5e6a7b80"],
  args: [["EVENT", "Its id, evt_…"]],
  async run(session, _flags, id) {
    const found = await findOne(session, EVENT_WITH_ATTEMPTS, { path: { id } });
    if (found === undefined) throw notFound(`event ${id}`);
    const { clientId, event } = found;
    const lines = details(itemOf(PARTNERS_EVENTS, event), [
      ["client_id", "PARTNER", () => clientId],
      ...columnsOf(PARTNERS_EVENTS),
    ]);
    const attempts = listed(DELIVERY_ATTEMPTS, found.attempts);
    const object = jsonOf(parseJson(event.objectJson));
    return {
      json: { ...lines.json, object, tried: attempts.json },
      text: `${lines.text}object           ${event.objectJson}\n\n${attempts.text}`,
    };
  },
});

/** `sabika event …` */
export const event = buildRouteMap({
  docs: { brief: "What partners were told, and how its delivery stands" },
  routes: { ...readCommands("event"), show },
});
