import { once } from "node:events";
import { createServer } from "node:http";
import Provider from "oidc-provider";
import { testRecord } from "../secret_search/record.ts";
import { listen } from "./listen.ts";

/**
 * Opens an OpenID provider on this machine, with the office as its client. It signs everybody in as
 * `person.subject`, without a form.
 */
export async function openTestProvider(redirectUri: string) {
  const server = createServer();
  const issuer = `http://localhost:${await listen(server)}`;
  const [clientId, clientSecret] = ["office", `secret-${crypto.randomUUID()}`];
  testRecord.secret("client secret", clientSecret);
  const person = { subject: "nobody", email: "nobody@bank.example" };
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const { privateKey } = await crypto.subtle.generateKey(algorithm, true, ["sign"]);
  const { key_ops: _, ext: __, ...jwk } = await crypto.subtle.exportKey("jwk", privateKey);
  const provider = new Provider(issuer, {
    clients: [{
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uris: [redirectUri],
      id_token_signed_response_alg: "ES256",
    }],
    jwks: { keys: [{ ...jwk, use: "sig", alg: "ES256" }] } as never,
    cookies: { keys: [crypto.randomUUID()] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    // Claims that the office must not rely on.
    claims: { openid: ["sub", "email", "email_verified"] },
    conformIdTokenClaims: false,
    findAccount: (_, accountId) => ({
      accountId,
      claims: () => ({ sub: accountId, email: person.email, email_verified: true }),
    }),
  });
  const answer = provider.callback();
  server.on("request", (request, response) => {
    const isInteraction = request.url!.startsWith("/interaction/");
    const done = isInteraction ? letIn() : answer(request, response);
    void Promise.resolve(done).catch((error) => response.writeHead(500).end(String(error)));

    async function letIn(): Promise<void> {
      const grant = new provider.Grant({ accountId: person.subject, clientId });
      grant.addOIDCScope("openid");
      const consent = { grantId: await grant.save() };
      const login = { accountId: person.subject };
      await provider.interactionFinished(request, response, { login, consent });
    }
  });

  return {
    issuer,
    clientId,
    clientSecret,
    person,
    /** Follows redirects with cookies until one leads back to the office; returns that URL. */
    async follow(url: string): Promise<string> {
      const cookies = new Map<string, string>();
      let at = url;
      while (at.startsWith(issuer)) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
        const answer = await fetch(at, { redirect: "manual", headers: { cookie } });
        for (const line of answer.headers.getSetCookie()) {
          const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
          cookies.set(name!, value!);
        }
        const text = await answer.text();
        const location = answer.headers.get("location");
        if (location === null) throw new Error(`${answer.status}: ${text}`);
        at = new URL(location, at).href;
      }
      testRecord.secret("code", new URL(at).searchParams.get("code") ?? "no code");
      return at;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
