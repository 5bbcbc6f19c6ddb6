import { buildRouteMap } from "@stricli/core";
import { acting } from "../command/acting.ts";
import { readCommands } from "../command/read_commands.ts";
import { ID } from "./arguments.ts";
import { partnerCreate } from "./partner_create.ts";
import { partnerContact, partnerDocument } from "./partner_file.ts";
import { partnerMove } from "./partner_move.ts";
import { partnerList, partnerShow } from "./partner_show.ts";
import { partnerUpdate } from "./partner_update.ts";
import { partnerPool } from "./pool.ts";

const partnerSuspend = acting("partner.suspend", {
  brief: "Suspend a partner; takes effect within a second",
  examples: ["partner suspend bank-one"],
  args: { partner: ID },
  question: ({ partner }) => `Suspend ${partner}? Its calls are refused from now on.`,
  json: ({ partner }) => ({ client_id: partner, status: "suspended" }),
  text: ({ partner }) => `${partner} is suspended`,
});

const partnerResume = acting("partner.resume", {
  brief: "Resume a suspended partner",
  examples: ["partner resume bank-one"],
  args: { partner: ID },
  json: ({ partner }) => ({ client_id: partner, status: "active" }),
  text: ({ partner }) => `${partner} is active`,
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
    contact: partnerContact,
    document: partnerDocument,
    pool: partnerPool,
    ...readCommands("partner"),
  },
});
