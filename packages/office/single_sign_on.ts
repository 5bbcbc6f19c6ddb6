import { encodeBase64Url, encodeUtf8 } from "@sabika/protocol";
import * as oauth from "oauth4webapi";
import { Refused } from "./refused.ts";

/** The office as a client of the company's OpenID provider (Decision D84). */
export interface SingleSignOnSettings {
  /** `https://login.bank.example`, as its ID tokens have it. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What a browser keeps while its person is at the provider. */
export interface Begun {
  /** Good once; base64url, as are the others. */
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE. */
  readonly verifier: string;
}

/** Signing in by the company's OpenID provider. */
export interface SingleSignOn {
  readonly issuer: string;
  /**
   * Where a browser is sent to sign in.
   *
   * @throws {Refused} with `single_sign_on_unavailable`
   */
  begin(begun: Begun): Promise<string>;
  /**
   * Who came back.
   *
   * @param url as the browser asked for it
   * @returns the subject of the provider's ID token
   * @throws {Refused} with `single_sign_on_failed` or `single_sign_on_unavailable`
   */
  finish(url: URL, begun: Begun): Promise<string>;
}

/** How long the provider's own description is believed. */
const DESCRIPTION_MS = 3_600_000;
const PATIENCE_MS = 10_000;
/** Clocks differ: ours is the machine's, as the library reads it. */
const TOLERANCE_SECONDS = 30;

/**
 * Makes the client: authorization code with PKCE (RFC 7636), state, nonce, the issuer named in the
 * answer (RFC 9207), the client's secret, and an ID token whose signature is checked as well.
 *
 * @param redirectUri the office's address that the provider sends people back to
 */
export function createSingleSignOn(
  { issuer, clientId, clientSecret }: SingleSignOnSettings,
  { redirectUri, fetch, now }: {
    redirectUri: string;
    fetch: typeof globalThis.fetch;
    /** Epoch milliseconds. */
    now: () => number;
  },
): SingleSignOn {
  const issuerUrl = new URL(issuer);
  const client: oauth.Client = {
    client_id: clientId,
    [oauth.clockTolerance]: TOLERANCE_SECONDS,
  };
  const requests = () => ({
    [oauth.customFetch]: fetch,
    // Settings allow it to a sandbox alone, on its own machine.
    [oauth.allowInsecureRequests]: issuerUrl.protocol === "http:",
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  let known: { server: oauth.AuthorizationServer; untilMs: number } | undefined;

  async function describe(): Promise<oauth.AuthorizationServer> {
    if (known !== undefined && now() < known.untilMs) return known.server;
    const answer = await oauth.discoveryRequest(issuerUrl, requests());
    const server = await oauth.processDiscoveryResponse(issuerUrl, answer);
    known = { server, untilMs: now() + DESCRIPTION_MS };
    return server;
  }

  return {
    issuer,

    async begin({ state, nonce, verifier }) {
      const server = await orUnavailable(describe());
      if (server.authorization_endpoint === undefined) {
        throw new Refused("single_sign_on_unavailable", "no authorization_endpoint");
      }
      const url = new URL(server.authorization_endpoint);
      const parameters = {
        client_id: clientId,
        redirect_uri: redirectUri,
        response_type: "code",
        scope: "openid",
        state,
        nonce,
        code_challenge: await challengeOf(verifier),
        code_challenge_method: "S256",
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url.href;
    },

    async finish(url, { state, nonce, verifier }) {
      const server = await orUnavailable(describe());
      try {
        const parameters = oauth.validateAuthResponse(server, client, url, state);
        const answer = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          authenticationOf(server, clientSecret),
          parameters,
          redirectUri,
          verifier,
          requests(),
        );
        const expected = { expectedNonce: nonce, requireIdToken: true };
        const tokens = await oauth.processAuthorizationCodeResponse(
          server,
          client,
          answer,
          expected,
        );
        await oauth.validateApplicationLevelSignature(server, answer, requests());
        return oauth.getValidatedIdTokenClaims(tokens)!.sub;
      } catch (error) {
        throw refusalOf(error);
      }
    },
  };
}

/** As the provider takes the client's secret; by the header unless it says otherwise. */
function authenticationOf(server: oauth.AuthorizationServer, secret: string): oauth.ClientAuth {
  const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  return methods.includes("client_secret_basic")
    ? oauth.ClientSecretBasic(secret)
    : oauth.ClientSecretPost(secret);
}

async function challengeOf(verifier: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", encodeUtf8(verifier));
  return encodeBase64Url(new Uint8Array(hash));
}

async function orUnavailable<T>(asked: Promise<T>): Promise<T> {
  return await asked.catch((error: unknown) => {
    throw new Refused("single_sign_on_unavailable", reasonOf(error));
  });
}

/** The library's own errors are about what came; others about what did not. */
function refusalOf(error: unknown): Refused {
  const isAnswer = error instanceof oauth.AuthorizationResponseError ||
    error instanceof oauth.ResponseBodyError ||
    error instanceof oauth.WWWAuthenticateChallengeError ||
    error instanceof oauth.OperationProcessingError;
  const code = isAnswer ? "single_sign_on_failed" : "single_sign_on_unavailable";
  return new Refused(code, reasonOf(error));
}

/** A code or name, which holds nothing of what the provider sent. */
function reasonOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  // The code of a request that took too long is a number that says nothing.
  return String(typeof code === "string" ? code : name ?? "unknown");
}
