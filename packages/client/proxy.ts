import process from "node:process";

/** Environment variables, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Addresses of this machine, to which a proxy has no way. */
const LOOPBACK = /^(localhost|127\.[\d.]+|\[::1\])$/;

/** Returns the environment, but none on Deno, which reads it by itself and asks for a permission here. */
const ownEnvironment = (): Environment => "Deno" in globalThis ? {} : process.env;

/**
 * Returns the proxy for an https URL: the one that was chosen, or else that of the environment (Decision D119), which is
 * `HTTPS_PROXY` unless `NO_PROXY` has the host, a domain above it, or `*`. Names in lower case go before. Loopback
 * addresses are reached directly.
 */
export function proxyFor(
  url: string | URL,
  chosen: string | undefined,
  env: Environment = ownEnvironment(),
): string | undefined {
  if (chosen !== undefined) return chosen;
  const proxy = env.https_proxy || env.HTTPS_PROXY;
  const { hostname, host } = new URL(url);
  if (!proxy || LOOPBACK.test(hostname)) return undefined;
  const exceptions = (env.no_proxy || env.NO_PROXY || "").toLowerCase().split(/[\s,]+/);
  const isException = exceptions.some((text) => {
    const name = text.replace(/^\*?\./, "");
    return text === "*" || hostname === name || host === name || hostname.endsWith(`.${name}`);
  });
  if (isException) return undefined;
  return proxy.includes("://") ? proxy : `http://${proxy}`;
}
