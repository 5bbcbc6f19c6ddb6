import { buildRouteMap } from "@stricli/core";
import { acting } from "../command/acting.ts";
import { ID } from "./arguments.ts";

/** `sabika token …` */
export const token = buildRouteMap({
  docs: { brief: "Take back a partner's access token" },
  routes: {
    revoke: acting("token.revoke", {
      brief: "Revoke an access token before its end; within a second, on every instance",
      more: "The server's log has the jti of each request's token as token_id. Partners revoke\n" +
        "their own at POST /oauth/revoke.",
      examples: ["token revoke bank-one 01a1f85e-29a6-7440-a1da-ccc3cd98406e"],
      args: { partner: ID, token: ["JTI", "The token's id, its jti"] },
      json: ({ partner }, { tokenId }) => ({ client_id: partner, revoked: tokenId }),
      text: ({ partner }, { tokenId }) => `the token ${tokenId} of ${partner} is revoked`,
    }),
  },
});
