import type { Options } from "k6/options";
import type { Kit } from "./kit.ts";
import type { Settings } from "./settings.ts";

/** Returns where requests are sent: SABIKA_BASE_URL, or else the kit's base URL. */
export function baseUrlOf(settings: Settings, kit: Kit): string {
  return settings.baseUrl ?? kit.baseUrl;
}

/**
 * Makes thresholds for latencies in milliseconds, by percentile, multiplied by SABIKA_SLOWNESS.
 *
 * @example latency(settings, { 95: 200, 99: 500 }) // ["p(95)<200", "p(99)<500"]
 */
export function latency(settings: Settings, bounds: Record<number, number>): string[] {
  return Object.entries(bounds).map(([percentile, milliseconds]) =>
    `p(${percentile})<${milliseconds * settings.slowness}`
  );
}

/**
 * Makes the options of every script: the client's certificate, no redirects, a summary with p99.
 *
 * k6 reads a private CA only from SSL_CERT_FILE. Without it the certificate of a service on the loopback is
 * not verified.
 *
 * @throws Error for a remote service whose certificate could not be verified; says how to solve that
 */
export function commonOptions(settings: Settings, kit: Kit): Options {
  const baseUrl = baseUrlOf(settings, kit);
  const isLocal = /^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])(:|\/|$)/.test(baseUrl);
  const isTrusted = trusts(kit.caCertificate);
  if (!isTrusted && !isLocal) {
    throw new Error(
      `set SSL_CERT_FILE=${settings.kit}/ca.crt, so that k6 knows the certificate of ${baseUrl}`,
    );
  }
  return {
    tlsAuth: [{ cert: kit.clientCertificate, key: kit.clientKey }],
    insecureSkipTLSVerify: !isTrusted,
    maxRedirects: 0,
    summaryTrendStats: ["avg", "min", "med", "p(90)", "p(95)", "p(99)", "max"],
    userAgent: "sabika-loadtest",
    setupTimeout: "60s",
    teardownTimeout: "10m",
  };
}

/** Returns whether SSL_CERT_FILE has the kit's CA certificate. */
function trusts(caCertificate: string): boolean {
  const file = __ENV.SSL_CERT_FILE;
  if (file === undefined || file === "") return false;
  try {
    const path = file.startsWith("/") ? file : `${__ENV.PWD ?? "."}/${file}`;
    return open(path).includes(caCertificate.trim());
  } catch {
    return false;
  }
}
