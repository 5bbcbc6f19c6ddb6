import type { TokenToRevoke } from "@sabika/identity/tokens";
import { type Reply, reply } from "../call/reply.ts";
import type { TokenIssuer } from "../tokens/issue_token.ts";
import { verifyToken } from "../tokens/verify_token.ts";
import {
  type ClientParts,
  type FormCall,
  OAUTH_HEADERS,
  oauthError,
  readForm,
  refuseClient,
} from "./client_form.ts";

/** What revoking a token needs. */
export interface RevokeParts extends ClientParts {
  readonly issuer: TokenIssuer;
  /** Revokes it here at once, and on the other instances within a second. */
  readonly revokeToken: (token: TokenToRevoke) => Promise<void>;
}

/**
 * POST /oauth/revoke: a partner revokes one of its access tokens (RFC 7009; Decision D76), with any of its
 * certificates. For an invalid token nothing is done, and the answer is 200 as well.
 */
export function revokeRoute({ issuer, revokeToken, ...parts }: RevokeParts) {
  return async (call: FormCall): Promise<Reply> => {
    const read = readForm(call);
    if (!read.ok) return read.reply;
    const text = read.form.get("token");
    if (text === undefined) return oauthError("invalid_request", "token is missing.");
    const refused = await refuseClient(parts, call, read.form);
    if (refused !== undefined) return refused;
    const token = await verifyToken(issuer, text);
    const { partnerId, clientId } = call.partner;
    if (token.ok && token.clientId !== clientId) {
      return oauthError("unauthorized_client", "The token was given to another client.");
    }
    if (token.ok) {
      const { tokenId, expiresAtMs: validUntilMs } = token;
      await revokeToken({ partnerId, tokenId, validUntilMs });
    }
    return reply("{}", OAUTH_HEADERS);
  };
}
