import { readFileSync } from "node:fs";
import type { LookupFunction } from "node:net";
import { type ResolvedAddress, resolveHost } from "./resolve_host.ts";
import { findInHosts, readSearchList, wholeNames } from "./system_names.ts";

/** Options of `createLookup`; by default it follows this machine's own settings. */
export interface LookupOptions {
  /** Other name servers than the system's, as `address:port`. */
  servers?: string[];
  /** For the first attempt, 2,000 by default; the second takes about twice as long. */
  timeoutMs?: number;
  /** For tests: the system's own otherwise. */
  hostsFile?: string;
  resolvFile?: string;
}

/** After these codes the next name of the search list is tried. */
const UNKNOWN = ["ENOTFOUND", "ENODATA", "ESERVFAIL", "EBADNAME"];

/**
 * Makes a `lookup` for connections to hosts that the operator chose: the database, the price feed,
 * the collector of traces. It reads `/etc/hosts` and follows the search list of `/etc/resolv.conf`
 * as the system's own does, but asks the DNS itself and blocks no thread meanwhile (`resolveHost`
 * says why). mDNS and NSS modules are not used. It fails with `ENOTFOUND` or `EAI_AGAIN`.
 */
export function createLookup(options: LookupOptions = {}): LookupFunction {
  const { hostsFile = "/etc/hosts", resolvFile = "/etc/resolv.conf" } = options;

  async function find(hostname: string): Promise<ResolvedAddress[]> {
    const name = hostname.toLowerCase();
    const fromHosts = findInHosts(readSmallFile(hostsFile), name.replace(/\.$/, ""));
    if (fromHosts.length > 0) return fromHosts;
    if (name === "localhost") return await resolveHost(name);
    let failure: unknown;
    for (const candidate of wholeNames(name, readSearchList(readSmallFile(resolvFile)))) {
      try {
        return await resolveHost(candidate, options);
      } catch (error) {
        failure = error;
        if (!UNKNOWN.includes(codeOf(error))) break;
      }
    }
    throw notResolved(hostname, codeOf(failure));
  }

  return (hostname, { all, family }, done) => {
    find(hostname).then((found) => {
      const wanted = Number(String(family ?? 0).replace("IPv", ""));
      const fitting = found.filter((address) => wanted === 0 || address.family === wanted);
      const [first] = fitting;
      if (first === undefined) done(notResolved(hostname, "ENOTFOUND"), []);
      else if (all) done(null, fitting);
      else done(null, first.address, first.family);
    }, (error) => done(error, []));
  };
}

/** The lookup that follows this machine's own settings. */
export const lookup: LookupFunction = createLookup();

/** Read synchronously: a few lines of a local file need no thread. */
function readSmallFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | undefined)?.code ?? "unknown");
}

/** With the error codes of getaddrinfo, which callers know. */
function notResolved(hostname: string, code: string): NodeJS.ErrnoException {
  const isUnknown = code === "ENOTFOUND" || code === "ENODATA" || code === "EBADNAME";
  return Object.assign(new Error(`the name ${hostname} cannot be resolved (${code})`), {
    code: isUnknown ? "ENOTFOUND" : "EAI_AGAIN",
    hostname,
  });
}
