import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { scopeCheck } from "./scope.ts";

test("a scope is needed of both the certificate and the token, if there is a token", () => {
  const check = scopeCheck("trade");
  const isAllowed = (ofCertificate: string, ofToken?: string) => {
    const token = ofToken === undefined ? undefined : { scopes: [ofToken] };
    const call = { ok: true, certificate: { scopes: [ofCertificate] }, token };
    return check(call as unknown as Parameters<typeof check>[0]);
  };
  for (const [ofCertificate, ofToken] of [["trade", "trade"], ["trade"]] as const) {
    assertEquals(isAllowed(ofCertificate, ofToken).ok, true);
  }
  const wrong = [["read", "trade"], ["trade", "read"], ["read"]] as const;
  for (const [ofCertificate, ofToken] of wrong) {
    assertEquals(isAllowed(ofCertificate, ofToken), {
      ok: false,
      code: "insufficient_scope",
      detail: "This needs a token with the scope trade.",
      meta: { scope: "trade" },
      headers: {
        "www-authenticate": 'Bearer realm="sabika", error="insufficient_scope", scope="trade"',
      },
    } as unknown as ReturnType<typeof check>);
  }
});
