import { buildRouteMap } from "@stricli/core";
import { readCommands } from "../command/read_commands.ts";

/** `sabika quote …` */
export const quote = buildRouteMap({
  docs: { brief: "The prices that partners were given" },
  routes: readCommands("quote"),
});
