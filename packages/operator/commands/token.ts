import { buildRouteMap } from "@stricli/core";
import { command } from "../command/command.ts";
import { ID } from "./arguments.ts";

/** `sabika token …` */
export const token = buildRouteMap({
  docs: { brief: "Take back a partner's access token" },
  routes: {
    revoke: command<object, [string, string]>({
      act: "token.revoke",
      brief: "Revoke an access token before its end; within a second, on every instance",
      more: "The server's log has the jti of each request's token as token_id. Partners revoke\n" +
        "their own at POST /oauth/revoke.",
      examples: ["token revoke bank-one 01a1f85e-29a6-7440-a1da-ccc3cd98406e"],
      flags: {},
      args: [ID, ["JTI", "The token's id, its jti"]],
      async run(session, _flags, id, jti) {
        const { tokenId } = await session.act("token.revoke", { partner: id, token: jti });
        return {
          json: { client_id: id, revoked: tokenId },
          text: `the token ${tokenId} of ${id} is revoked\n`,
        };
      },
    }),
  },
});
