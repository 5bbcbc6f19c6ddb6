import type { SigningKey } from "@sabika/protocol";
import { AccessTokenHolder, type FetchedToken } from "./access_token.ts";
import { isCertificateRefused } from "./certificate_refusal.ts";
import type { Kit } from "./kit.ts";
import { proxyFor } from "./proxy.ts";
import { type FetchLike, openTransport } from "./transport.ts";

/**
 * Who a client is: a kit, connections with its certificate, and the token that is bound to that certificate.
 * `reload` replaces it as a whole, and an attempt keeps the one with which it began.
 */
export interface Identity {
  readonly kit: Kit<SigningKey>;
  readonly fetch: FetchLike;
  readonly token: AccessTokenHolder;
  /** Whether the service has accepted the certificate, which then cannot explain a broken connection. */
  certificateAccepted: boolean;
  /** Finds out whether the server refuses the certificate; called after an unclear error. */
  isCertificateRefused(): Promise<boolean>;
  /** Runs an attempt, during which `retire` keeps the connections. */
  use<T>(attempt: () => Promise<T>): Promise<T>;
  /** Closes the connections once no attempt is under way. */
  retire(): Promise<void>;
  /** Closes the connections. */
  close(): Promise<void>;
}

/**
 * Makes the identity of a kit, and its transport unless the options have a `fetch`.
 *
 * @param fetchToken called with this identity
 */
export function openIdentity(
  kit: Kit<SigningKey>,
  options: { fetch?: FetchLike | undefined; proxy?: string | undefined; now: () => number },
  fetchToken: (identity: Identity) => Promise<FetchedToken>,
): Identity {
  const transport = options.fetch ? undefined : openTransport(kit, options);
  const close = async () => await transport?.close();
  let checking: Promise<boolean> | undefined;
  let underWay = 0;
  let onIdle = () => {};
  const identity: Identity = {
    kit,
    fetch: options.fetch ?? transport!.fetch,
    token: new AccessTokenHolder(() => fetchToken(identity), options.now),
    certificateAccepted: false,
    isCertificateRefused: async () => {
      // One check at a time, and none once the certificate was found to be accepted.
      if (!transport || identity.certificateAccepted) return false;
      checking ??= isCertificateRefused(kit.baseUrl, kit, proxyFor(kit.baseUrl, options.proxy))
        .finally(() => checking = undefined);
      const refused = await checking;
      identity.certificateAccepted ||= !refused;
      return refused;
    },
    use: async (attempt) => {
      underWay++;
      try {
        return await attempt();
      } finally {
        if (--underWay === 0) onIdle();
      }
    },
    retire: async () => {
      if (underWay > 0) await new Promise<void>((resolve) => onIdle = resolve);
      await close();
    },
    close,
  };
  return identity;
}
