import { findIdentity } from "../people/identities.ts";
import { hashSessionToken, makeChallenge, takeChallenge } from "../people/sessions.ts";
import { decodeBase64Url, encodeBase64Url, encodeUtf8 } from "@sabika/protocol";
import { Hono, type MiddlewareHandler } from "hono";
import { html } from "hono/html";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { Office, OfficeEnv } from "../office.ts";
import { Refused } from "../refused.ts";
import type { PendingSignIn } from "../single_sign_on.ts";
import { readSessionCookie } from "../session_cookie.ts";
import { beginSession, type OnSignIn } from "./sign_in.ts";

/** The path below `/admin/v1` that leads to the provider. */
export const SINGLE_SIGN_ON = "/single-sign-on";
/** The path below `/admin/v1` that the provider sends people back to. */
export const RETURN = `${SINGLE_SIGN_ON}/return`;

const COOKIE = "sabika_single_sign_on";
/**
 * Lax: the browser comes back from another site, and needs the cookie then. It shows that the browser
 * that comes back is the one that left, and is used for nothing else.
 */
const ATTRIBUTES = { httpOnly: true, secure: true, sameSite: "Lax", path: "/" } as const;
const MAX_AGE_SECONDS = 300;
const SECRET_BYTES = 32;

/**
 * Makes the routes of `/single-sign-on`, for signing in by the company's OpenID provider (Decision D84);
 * none without a provider. Browsers open them as pages: a refusal leads to the page for signing in.
 */
export function singleSignOnRoutes(office: Office, onSignIn: OnSignIn): Hono<OfficeEnv> {
  const { singleSignOn, admin: { database: { sql }, now, random } } = office;
  const app = new Hono<OfficeEnv>();
  if (singleSignOn === undefined) return app;
  const { issuer } = singleSignOn;

  return app
    .use(`${SINGLE_SIGN_ON}/*`, redirectRefusal)
    .get(SINGLE_SIGN_ON, async (context) => {
      const secret = () => encodeBase64Url(random(SECRET_BYTES));
      const state = encodeBase64Url(await makeChallenge({ sql, nowMs: now(), random }));
      const pending: PendingSignIn = { state, nonce: secret(), verifier: secret() };
      const url = await singleSignOn.begin(pending);
      const token = readSessionCookie(context);
      // The browser comes back without its session's cookie (SameSite=Strict).
      const hash = token === undefined ? "" : encodeBase64Url(await hashSessionToken(token));
      const next = pathOf(context.req.query("next"));
      const parts = [state, pending.nonce, pending.verifier, hash];
      const text = [...parts, ...next === "/" ? [] : [encodeBase64Url(encodeUtf8(next))]].join(".")
        .replace(/\.$/, "");
      setCookie(context, COOKIE, text, { ...ATTRIBUTES, prefix: "host", maxAge: MAX_AGE_SECONDS });
      return context.redirect(url, 303);
    })
    .get(RETURN, async (context) => {
      const { pending, endedHash, next } = readPending(getCookie(context, COOKIE, "host"));
      deleteCookie(context, COOKIE, { ...ATTRIBUTES, prefix: "host" });
      const state = pending && decodeBase64Url(pending.state);
      // Taken even if the sign-in fails: a state is used once, and in time.
      if (!pending || !state || !await takeChallenge({ sql, nowMs: now() }, state)) {
        throw new Refused("single_sign_on_failed", "not begun here, or too long ago");
      }
      const subject = await singleSignOn.finish(new URL(context.req.url), pending);
      const person = await findIdentity(sql, { issuer, subject });
      if (person === undefined) throw new Refused("identity_unknown");
      const { name, roles: _, ...session } = person;
      onSignIn(name, context.get("from"));
      await beginSession(office, context, session, endedHash);
      // A redirect would still be the provider's, and come without the new cookie (SameSite=Strict).
      context.header("refresh", `0; url=${next}`);
      context.header("content-security-policy", "default-src 'none'; frame-ancestors 'none'");
      return context.html(
        html`
          <!doctype html>
          <html lang="en"><title>Sabika</title><a href="${next}">Sabika</a></html>
        `,
      );
    });
}

/** Replaces a refusal's answer, which a browser would not show, by a redirect with its code. */
const redirectRefusal: MiddlewareHandler<OfficeEnv> = async (context, next) => {
  await next();
  if (!(context.error instanceof Refused)) return;
  context.res = context.redirect(`/sign-in?refused=${context.error.code}`, 303);
};

/** The longest path that the cookie keeps. */
const LONGEST_NEXT = 1_500;

/** Returns the path of the page to show after signing in, if it is the office's own; else `/`. */
function pathOf(next: string | undefined): string {
  const isPage = next !== undefined && next.length <= LONGEST_NEXT &&
    /^\/(?:en|ar)(?:[/?][\x21-\x7e]*)?$/.test(next);
  return isPage ? next : "/";
}

/**
 * Reads from the cookie the sign-in that a browser began, the hash of the session that it had then, and the path of
 * the page to show.
 */
function readPending(
  cookie: string | undefined,
): { pending: PendingSignIn | undefined; endedHash: Uint8Array | undefined; next: string } {
  const [state, nonce, verifier, endedHash, next, ...more] = (cookie ?? "").split(".");
  const isWhole = state && nonce && verifier && more.length === 0;
  return {
    pending: isWhole ? { state, nonce, verifier } : undefined,
    endedHash: endedHash ? decodeBase64Url(endedHash) : undefined,
    next: pathOf(new TextDecoder().decode(decodeBase64Url(next ?? ""))),
  };
}
