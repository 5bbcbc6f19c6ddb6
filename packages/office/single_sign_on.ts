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

/** The values that a browser keeps while its person is at the provider. */
export interface PendingSignIn {
  /** Used once; random and in base64url, like the others. */
  readonly state: string;
  readonly nonce: string;
  /** The code verifier (RFC 7636 §4.1). */
  readonly verifier: string;
}

/** Signing in by the company's OpenID provider. */
export interface SingleSignOn {
  readonly issuer: string;
  /**
   * Returns the address at the provider that the browser is sent to.
   *
   * @throws {Refused} with `single_sign_on_unavailable`
   */
  begin(pending: PendingSignIn): Promise<string>;
  /**
   * Exchanges the provider's answer for an ID token, and verifies it.
   *
   * @param url the address that the browser came back to, with its query
   * @returns the subject of the provider's ID token
   * @throws {Refused} with `single_sign_on_failed` or `single_sign_on_unavailable`
   */
  finish(url: URL, pending: PendingSignIn): Promise<string>;
}

/** How long the provider's metadata is kept. */
const METADATA_MS = 3_600_000;
const REQUEST_TIMEOUT_MS = 10_000;
/** How far the provider's clock may be from the machine's, which the library reads itself. */
const TOLERANCE_SECONDS = 30;

/**
 * Makes the office's OpenID client. It uses the authorization code flow with PKCE (RFC 7636), state and
 * nonce, and checks the issuer in the answer (RFC 9207) and the ID token's signature.
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
    // The settings allow http in a sandbox only, on its own machine.
    [oauth.allowInsecureRequests]: issuerUrl.protocol === "http:",
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  let cached: { server: oauth.AuthorizationServer; untilMs: number } | undefined;

  async function discover(): Promise<oauth.AuthorizationServer> {
    if (cached !== undefined && now() < cached.untilMs) return cached.server;
    const answer = await oauth.discoveryRequest(issuerUrl, requests());
    const server = await oauth.processDiscoveryResponse(issuerUrl, answer);
    cached = { server, untilMs: now() + METADATA_MS };
    return server;
  }

  return {
    issuer,

    async begin({ state, nonce, verifier }) {
      const server = await orUnavailable(discover());
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
      const server = await orUnavailable(discover());
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

/** Chooses how the provider gets the client's secret: by default in a header (OpenID Discovery 1.0 §3). */
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

async function orUnavailable<T>(answer: Promise<T>): Promise<T> {
  return await answer.catch((error: unknown) => {
    throw new Refused("single_sign_on_unavailable", reasonOf(error));
  });
}

/** The library's own errors reject an answer; any other error means that none came. */
function refusalOf(error: unknown): Refused {
  const isAnswer = error instanceof oauth.AuthorizationResponseError ||
    error instanceof oauth.ResponseBodyError ||
    error instanceof oauth.WWWAuthenticateChallengeError ||
    error instanceof oauth.OperationProcessingError;
  const code = isAnswer ? "single_sign_on_failed" : "single_sign_on_unavailable";
  return new Refused(code, reasonOf(error));
}

/** Returns the error's code or name: neither holds anything that the provider sent. */
function reasonOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  // A request that took too long has a number as its code, which tells nothing.
  return String(typeof code === "string" ? code : name ?? "unknown");
}
