import { buildRouteMap } from "@stricli/core";
import { acting } from "../command/acting.ts";
import { readCommands } from "../command/read_commands.ts";
import { ID } from "./arguments.ts";

const POOL = ["POOL", "Its name: small letters, digits and -"] as const;

/** `sabika pool …` */
export const pool = buildRouteMap({
  docs: { brief: "Pools of bars, of which each partner draws on one" },
  routes: {
    create: acting("pool.create", {
      brief: "Create a pool, without bars",
      examples: ["pool create second"],
      args: { pool: POOL },
      json: ({ pool }) => ({ pool }),
      text: ({ pool }) =>
        `there is a pool ${pool}: \`sabika vault bar add --pool ${pool}\` fills it`,
    }),
    ...readCommands("pool"),
  },
});

/** `sabika partner pool …` */
export const partnerPool = buildRouteMap({
  docs: { brief: "The pool of bars that a partner draws on" },
  routes: {
    set: acting("partner.pool.set", {
      brief: "Have a partner draw on another pool; refused while it has gold or an allocation",
      examples: ["partner pool set bank-one second"],
      args: { partner: ID, pool: POOL },
      question: ({ partner, pool }) => `Shall ${partner} draw on the pool ${pool} from now on?`,
      json: ({ partner, pool }) => ({ client_id: partner, pool }),
      text: ({ partner, pool }) => `${partner} draws on the pool ${pool}`,
    }),
  },
});
