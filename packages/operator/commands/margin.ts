import { buildRouteMap } from "@stricli/core";
import { readCommands } from "../command/read_commands.ts";

/** `sabika margin …` */
export const margin = buildRouteMap({
  docs: { brief: "What orders earned the house" },
  routes: readCommands("margin"),
});
