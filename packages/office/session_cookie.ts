import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { OfficeEnv } from "./office.ts";

const NAME = "sabika_office";
/** Scripts cannot read the cookie, and no other site sends it; its prefix `__Host-` binds it to this host. */
const ATTRIBUTES = { httpOnly: true, secure: true, sameSite: "Strict", path: "/" } as const;

/** Returns the session's token in a request; undefined without one. */
export function readSessionCookie(context: Context<OfficeEnv>): string | undefined {
  return getCookie(context, NAME, "host");
}

/** Gives a session's token to the browser, which drops it after `maxAgeSeconds`. */
export function writeSessionCookie(
  context: Context<OfficeEnv>,
  token: string,
  maxAgeSeconds: number,
): void {
  setCookie(context, NAME, token, { ...ATTRIBUTES, prefix: "host", maxAge: maxAgeSeconds });
}

/** Removes the session's token from the browser. */
export function clearSessionCookie(context: Context<OfficeEnv>): void {
  deleteCookie(context, NAME, { ...ATTRIBUTES, prefix: "host" });
}
