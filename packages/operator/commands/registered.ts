import { buildRouteMap } from "@stricli/core";
import { acting } from "../command/acting.ts";
import { command } from "../command/command.ts";
import { table } from "../command/table.ts";
import { ID } from "./arguments.ts";
import { refreshKit } from "./kit_files.ts";
import { findPartner } from "./partner_show.ts";

/** `sabika iban …` */
export const iban = buildRouteMap({
  docs: { brief: "Where a partner's withdrawals are paid to" },
  routes: {
    set: command<object, [string, string]>({
      brief: "Set a partner's settlement IBAN",
      more: "Withdrawals requested before are still paid to the old one.",
      examples: ["iban set bank-one SA0380000000608010167519"],
      args: [ID, ["IBAN", "With or without spaces"]],
      async run(session, _flags, id, text) {
        const set = await session.act("iban.set", { partner: id, iban: text });
        await refreshKit(session, id, { settlement_iban: set });
        return { json: { client_id: id, settlement_iban: set }, text: `${id}: ${set}\n` };
      },
    }),
  },
});

/** `sabika address …` */
export const address = buildRouteMap({
  docs: { brief: "Where a partner may call from" },
  routes: {
    add: acting("address.add", {
      brief: "Allow a source address; with the first one, all others are refused",
      examples: ["address add bank-one 192.0.2.0/24", "address add bank-one 2001:db8::/32"],
      args: { partner: ID, cidr: ["CIDR", "IPv4 or IPv6, with its prefix or alone"] },
      json: ({ partner }, cidr) => ({ client_id: partner, added: cidr }),
      text: ({ partner }, cidr) => `${partner} may call from ${cidr}`,
    }),
    list: command<object, [string]>({
      brief: "List a partner's source addresses; none = anywhere",
      examples: ["address list bank-one"],
      args: [ID],
      async run(session, _flags, id) {
        const { addresses } = await findPartner(session, id);
        return {
          json: addresses,
          text: addresses.length === 0
            ? `${id} may call from anywhere\n`
            : table(["CIDR"], addresses.map((cidr) => [cidr])),
        };
      },
    }),
    remove: acting("address.remove", {
      brief: "Remove a source address; in the sandbox, without any, calls may come from anywhere",
      examples: ["address remove bank-one 192.0.2.0/24"],
      args: { partner: ID, cidr: ["CIDR", "As in the list"] },
      json: ({ partner }, cidr) => ({ client_id: partner, removed: cidr }),
      text: ({ partner }, cidr) => `${partner} may no longer call from ${cidr}`,
    }),
  },
});
