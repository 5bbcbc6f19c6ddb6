import { buildRouteMap } from "@stricli/core";
import { confirm } from "../command/ask.ts";
import { command } from "../command/command.ts";
import { readCommands } from "../command/read_commands.ts";
import { ID } from "./arguments.ts";
import { partnerCreate } from "./partner_create.ts";
import { partnerMove } from "./partner_move.ts";
import { partnerList, partnerShow } from "./partner_show.ts";
import { partnerUpdate } from "./partner_update.ts";

const partnerSuspend = command<object, [string]>({
  act: "partner.suspend",
  brief: "Suspend a partner; takes effect within a second",
  examples: ["partner suspend bank-one"],
  args: [ID],
  async run(session, _flags, id) {
    await confirm(session, `Suspend ${id}? Its calls are refused from now on.`);
    await session.act("partner.suspend", { partner: id });
    return { json: { client_id: id, status: "suspended" }, text: `${id} is suspended\n` };
  },
});

const partnerResume = command<object, [string]>({
  act: "partner.resume",
  brief: "Resume a suspended partner",
  examples: ["partner resume bank-one"],
  args: [ID],
  async run(session, _flags, id) {
    await session.act("partner.resume", { partner: id });
    return { json: { client_id: id, status: "active" }, text: `${id} is active\n` };
  },
});

/** `sabika partner …` */
export const partner = buildRouteMap({
  docs: { brief: "Admit, show and change partners" },
  routes: {
    create: partnerCreate,
    list: partnerList,
    show: partnerShow,
    update: partnerUpdate,
    move: partnerMove,
    suspend: partnerSuspend,
    resume: partnerResume,
    ...readCommands("partner"),
  },
});
