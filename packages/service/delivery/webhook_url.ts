import type { ResolvedAddress } from "@sabika/network";
import { isLoopbackAddress, isPublicAddress } from "./public_address.ts";

/** Where webhooks may go (Decision D36). */
export interface EndpointPolicy {
  /** Allows loopback addresses and `localhost`; only in the sandbox. */
  allowLoopback: boolean;
  /** Resolves a name to all of its addresses; rejects when there is none. */
  resolve: (hostname: string) => Promise<ResolvedAddress[]>;
}

/** Why an endpoint may not be delivered to (Decision D36). */
export type EndpointRefusal =
  | "url_malformed"
  | "url_not_https"
  | "url_has_credentials"
  | "url_has_fragment"
  | "url_too_long"
  | "port_not_allowed"
  | "host_not_public"
  | "host_unknown"
  | "address_not_public";

/** A URL whose text allows delivery, with its host if that is an address (`literal`); or why not. */
export type CheckedWebhookUrl =
  | { ok: true; url: URL; hostname: string; literal: ResolvedAddress | undefined }
  | { ok: false; reason: EndpointRefusal };

const LONGEST_URL_CHARACTERS = 2_048;
/** Names of this machine or its network, whatever they resolve to; those without a dot are, too. */
const INSIDE =
  /\.(localhost|local|localdomain|internal|intranet|lan|home|corp|arpa|onion|test|invalid)$/;

/**
 * Checks the text of a webhook endpoint's URL; {@link resolveWebhookAddress} also resolves it. The port
 * is 443 or from 1024 up. It checks the *parsed* host, because the parser turns `2130706433`, `0x7f.1`,
 * `0177.0.0.1`, `127.1` and `①②⑦.0.0.1` all into 127.0.0.1 (WHATWG URL, "ends in a number").
 */
export function checkWebhookUrl(
  text: string,
  policy: Pick<EndpointPolicy, "allowLoopback">,
): CheckedWebhookUrl {
  const refuse = (reason: EndpointRefusal): CheckedWebhookUrl => ({ ok: false, reason });
  if (text.length > LONGEST_URL_CHARACTERS) return refuse("url_too_long");
  if (/[\s\\\p{Cc}]/u.test(text)) return refuse("url_malformed"); // the parser changes these
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return refuse("url_malformed");
  }
  if (url.protocol !== "https:") return refuse("url_not_https");
  if (!/^https:\/\/[^/]/i.test(text)) return refuse("url_malformed"); // https:host, https:///host
  if (/^[^/]*\/\/[^/?#]*@/.test(text)) return refuse("url_has_credentials");
  if (text.includes("#")) return refuse("url_has_fragment");
  if (url.port !== "" && Number(url.port) < 1024) return refuse("port_not_allowed");

  const hostname = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const family = hostname.includes(":") ? 6 : /^[\d.]+$/.test(hostname) ? 4 : undefined;
  if (family !== undefined) {
    const literal = { address: hostname, family } as const;
    return isAllowed(hostname, policy)
      ? { ok: true, url, hostname, literal }
      : refuse("address_not_public");
  }
  const isLocalhost = hostname === "localhost";
  if (
    !(isLocalhost && policy.allowLoopback) && (INSIDE.test(hostname) || !hostname.includes("."))
  ) {
    return refuse("host_not_public");
  }
  return { ok: true, url, hostname, literal: undefined };
}

/** An endpoint with the addresses that may be connected to, or why there are none. */
export type ResolvedEndpoint =
  | { ok: true; url: URL; hostname: string; addresses: ResolvedAddress[] }
  | { ok: false; reason: EndpointRefusal };

/**
 * Checks an endpoint's URL and every address that its name has now. One address that is not public
 * refuses the endpoint. The connection must go to `addresses` without resolving again, or a second
 * answer of the resolver would decide (DNS rebinding).
 */
export async function resolveWebhookAddress(
  text: string,
  policy: EndpointPolicy,
): Promise<ResolvedEndpoint> {
  const checked = checkWebhookUrl(text, policy);
  if (!checked.ok) return checked;
  const { url, hostname, literal } = checked;
  if (literal) return { ok: true, url, hostname, addresses: [literal] };
  let addresses: ResolvedAddress[];
  try {
    addresses = await policy.resolve(hostname);
  } catch {
    return { ok: false, reason: "host_unknown" };
  }
  if (addresses.length === 0) return { ok: false, reason: "host_unknown" };
  if (!addresses.every(({ address }) => isAllowed(address, policy))) {
    return { ok: false, reason: "address_not_public" };
  }
  return { ok: true, url, hostname, addresses };
}

function isAllowed(address: string, policy: Pick<EndpointPolicy, "allowLoopback">): boolean {
  return isPublicAddress(address) || (policy.allowLoopback && isLoopbackAddress(address));
}
