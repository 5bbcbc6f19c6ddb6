import { type Refusal, refuse, type Scope } from "@sabika/protocol";
import type { AdmittedCall, Authenticated } from "../call/findings.ts";
import type { Checked } from "./door.ts";

/**
 * Checks that the token and the certificate that it is bound to allow the scope of the route (RFC 6750
 * §3.1; Decision D76). The certificate is checked on every request, so a scope that the operator removes
 * is lost to existing tokens too. Where a route needs no token, the certificate decides.
 */
export function scopeCheck(scope: Scope) {
  const refusal: Refusal = refuse("insufficient_scope", {
    detail: `This needs a token with the scope ${scope}.`,
    meta: { scope },
    headers: {
      "www-authenticate": `Bearer realm="sabika", error="insufficient_scope", scope="${scope}"`,
    },
  });
  return <C extends AdmittedCall & Partial<Authenticated>>(call: C): Checked<C> => {
    const { token, certificate } = call;
    const isAllowed = certificate.scopes.includes(scope) &&
      (token === undefined || token.scopes.includes(scope));
    return isAllowed ? call : refusal;
  };
}
