import { ACCESS_TOKEN_SECONDS, formatScopes, parseScopes, TOKEN } from "@sabika/protocol";
import { type Reply, reply } from "../call/reply.ts";
import { issueToken, type TokenIssuer } from "../tokens/issue_token.ts";
import {
  type ClientParts,
  type FormCall,
  OAUTH_HEADERS,
  oauthError,
  readForm,
  refuseClient,
} from "./client_form.ts";

/**
 * POST /oauth/token: the client-credentials grant, bound to the certificate (Spec §5 Token;
 * RFC 6749 §4.4; RFC 8705 §3; Decision D17).
 *
 * The caller's certificate must be an active one of the client that the form names. Without `scope`
 * the token allows all that the certificate may (RFC 6749 §3.3; Decision D76).
 */
export function tokenRoute({ issuer, ...parts }: ClientParts & { readonly issuer: TokenIssuer }) {
  return async (call: FormCall): Promise<Reply> => {
    const read = readForm(call);
    if (!read.ok) return read.reply;
    const { form } = read;
    const grantType = form.get("grant_type");
    if (grantType === undefined) return oauthError("invalid_request", "grant_type is missing.");
    if (grantType !== "client_credentials") {
      return oauthError("unsupported_grant_type", "grant_type must be client_credentials.");
    }
    const refused = await refuseClient(parts, call, form);
    if (refused !== undefined) return refused;
    const { partner: { clientId }, certificate: { hashHex, scopes } } = call;
    const wanted = form.get("scope");
    const granted = wanted === undefined ? scopes : parseScopes(wanted);
    if (granted === undefined || granted.some((scope) => !scopes.includes(scope))) {
      const allowed = `This certificate may have: ${formatScopes(scopes)}.`;
      return oauthError("invalid_scope", allowed);
    }
    const accessToken = await issueToken(issuer, clientId, hashHex, granted);
    return reply(
      TOKEN.write({
        accessToken,
        tokenType: "Bearer",
        expiresInSeconds: ACCESS_TOKEN_SECONDS,
        scope: formatScopes(granted),
      }),
      OAUTH_HEADERS,
    );
  };
}
