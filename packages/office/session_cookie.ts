import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { OfficeEnv } from "./office.ts";

const NAME = "sabika_office";
/** Bound to this host only (`__Host-`), unreadable to scripts, never sent from another site. */
const TERMS = { httpOnly: true, secure: true, sameSite: "Strict", path: "/" } as const;

/** The session's token in a request; undefined without one. */
export function readSessionCookie(context: Context<OfficeEnv>): string | undefined {
  return getCookie(context, NAME, "host");
}

/** Gives a session's token to the browser, which drops it when the session ends. */
export function writeSessionCookie(
  context: Context<OfficeEnv>,
  token: string,
  maxAgeSeconds: number,
): void {
  setCookie(context, NAME, token, { ...TERMS, prefix: "host", maxAge: maxAgeSeconds });
}

/** Removes the session's token from the browser. */
export function clearSessionCookie(context: Context<OfficeEnv>): void {
  deleteCookie(context, NAME, { ...TERMS, prefix: "host" });
}
