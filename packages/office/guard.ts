import type { Database } from "@sabika/database";
import { callerAddress, type IsTrusted, UNIX_PEER } from "./caller_address.ts";
import { findSession } from "./people/sessions.ts";
import { formatId, uuidV7 } from "@sabika/protocol";
import type { Context, MiddlewareHandler } from "hono";
import type { OfficeEnv } from "./office.ts";
import type { Person } from "./people/person.ts";
import { Refused } from "./refused.ts";
import { readSessionCookie } from "./session_cookie.ts";

interface GuardParts {
  readonly origin: string;
  readonly database: Database;
  readonly now: () => number;
  readonly isTrusted: IsTrusted;
  readonly random: (length: number) => Uint8Array;
  /** The person whose key signed the request; undefined for an unsigned one. */
  readonly findSigner: (context: Context<OfficeEnv>) => Promise<Person | undefined>;
}

/** Headers of every answer of the listener, whichever route made it. */
const HEADERS = {
  "cache-control": "no-store",
  // With no-referrer, browsers would send forms with `Origin: null`.
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

/** Gives each request an id, notes where it comes from, and sets the headers of its answer. */
export function identify(
  { origin, now, random, isTrusted }: Omit<GuardParts, "database" | "findSigner">,
): MiddlewareHandler<OfficeEnv> {
  return async (context, next) => {
    const requestId = formatId("req", uuidV7(now(), random));
    context.set("requestId", requestId);
    context.set("from", addressOf(context, isTrusted));
    context.header("x-request-id", requestId);
    for (const [name, value] of Object.entries(HEADERS)) context.header(name, value);
    if (origin.startsWith("https:")) {
      context.header("strict-transport-security", "max-age=31536000");
    }
    await next();
  };
}

/**
 * Runs before every route of the listener: refuses changes that a page of another site asks for, and
 * finds the person who asks (Decision D82).
 */
export function guard(
  { origin, database, now, findSigner }: Omit<GuardParts, "random" | "isTrusted">,
): MiddlewareHandler<OfficeEnv> {
  return async (context, next) => {
    refuseOtherSites(context, origin);
    context.set("person", await findSigner(context) ?? await findSignedIn(context));
    await next();
  };

  async function findSignedIn(context: Context<OfficeEnv>): Promise<Person | undefined> {
    const token = readSessionCookie(context);
    return token === undefined
      ? undefined
      : await findSession({ sql: database.sql, nowMs: now() }, token);
  }
}

/**
 * Refuses a change that a page of another site asks for. Every browser sends `Sec-Fetch-Site` or
 * `Origin`, which no page can change. A request with neither is not from a browser, and is refused
 * when it has the session's cookie.
 *
 * @throws {Refused} with `cross_origin`
 */
function refuseOtherSites(context: Context<OfficeEnv>, origin: string): void {
  if (context.req.method === "GET" || context.req.method === "HEAD") return;
  const [site, from] = [context.req.header("sec-fetch-site"), context.req.header("origin")];
  if ((site ?? "same-origin") === "same-origin" && (from ?? origin) === origin) {
    // A browser, which a cookie would come from, sends one of the two headers.
    if (site !== undefined || from !== undefined || !readSessionCookie(context)) return;
  }
  throw new Refused("cross_origin");
}

function addressOf(context: Context<OfficeEnv>, isTrusted: IsTrusted): string {
  const bindings = context.env as { incoming?: { socket: { remoteAddress?: string } } } | undefined;
  const peer = bindings?.incoming?.socket.remoteAddress ?? UNIX_PEER;
  return callerAddress(peer, context.req.header("x-forwarded-for"), isTrusted);
}
