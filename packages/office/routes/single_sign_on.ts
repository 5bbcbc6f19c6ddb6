import { findIdentity } from "../people/identities.ts";
import { hashSessionToken, makeChallenge, takeChallenge } from "../people/sessions.ts";
import { decodeBase64Url, encodeBase64Url } from "@sabika/protocol";
import { Hono, type MiddlewareHandler } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { Office, OfficeEnv } from "../office.ts";
import { Refused } from "../refused.ts";
import type { Begun } from "../single_sign_on.ts";
import { readSessionCookie } from "../session_cookie.ts";
import { beginSession, type OnSignIn } from "./sign_in.ts";

/** Where people leave for the provider, and where it sends them back to, below `/admin/v1`. */
export const SINGLE_SIGN_ON = "/single-sign-on";
export const RETURN = `${SINGLE_SIGN_ON}/return`;

const COOKIE = "sabika_single_sign_on";
/**
 * Lax: the provider's page is another site, and what it leads back to needs the cookie. It shows that
 * the browser that comes back is the one that left, and is good for nothing else.
 */
const TERMS = { httpOnly: true, secure: true, sameSite: "Lax", path: "/" } as const;
const MAX_AGE_SECONDS = 300;
const SECRET_BYTES = 32;

/**
 * `/single-sign-on`: people sign in by the company's OpenID provider (Decision D84). Both are opened by
 * a browser itself: what is refused leads to the page for signing in, with its code.
 */
export function singleSignOnRoutes(office: Office, onSignIn: OnSignIn): Hono<OfficeEnv> {
  const { singleSignOn, admin: { database: { sql }, now, random } } = office;
  const app = new Hono<OfficeEnv>();
  if (singleSignOn === undefined) return app;
  const { issuer } = singleSignOn;

  return app
    .use(`${SINGLE_SIGN_ON}/*`, leadBack)
    .get(SINGLE_SIGN_ON, async (context) => {
      const secret = () => encodeBase64Url(random(SECRET_BYTES));
      const state = encodeBase64Url(await makeChallenge({ sql, nowMs: now(), random }));
      const begun: Begun = { state, nonce: secret(), verifier: secret() };
      const url = await singleSignOn.begin(begun);
      const before = readSessionCookie(context);
      // Who comes back from the provider has no session's cookie with them (SameSite=Strict).
      const ends = before === undefined ? [] : [encodeBase64Url(await hashSessionToken(before))];
      setCookie(context, COOKIE, [state, begun.nonce, begun.verifier, ...ends].join("."), {
        ...TERMS,
        prefix: "host",
        maxAge: MAX_AGE_SECONDS,
      });
      return context.redirect(url, 303);
    })
    .get(RETURN, async (context) => {
      const { begun, ends } = readBegun(getCookie(context, COOKIE, "host"));
      deleteCookie(context, COOKIE, { ...TERMS, prefix: "host" });
      const state = begun && decodeBase64Url(begun.state);
      // Taken whatever comes of it: who comes back comes back once, and in time.
      if (!begun || !state || !await takeChallenge({ sql, nowMs: now() }, state)) {
        throw new Refused("single_sign_on_failed", "not begun here, or too long ago");
      }
      const subject = await singleSignOn.finish(new URL(context.req.url), begun);
      const person = await findIdentity(sql, { issuer, subject });
      if (person === undefined) throw new Refused("identity_unknown");
      const { name, roles: _, ...session } = person;
      onSignIn(name, context.get("from"));
      await beginSession(office, context, session, ends);
      // A redirect would still be the provider's, and come without the new cookie (SameSite=Strict).
      context.header("refresh", "0; url=/");
      context.header("content-security-policy", "default-src 'none'; frame-ancestors 'none'");
      return context.html(
        `<!doctype html><html lang="en"><title>Sabika</title><a href="/">Sabika</a></html>`,
      );
    });
}

/** What was refused is logged by then, and answered as a problem: a browser shows that to nobody. */
const leadBack: MiddlewareHandler<OfficeEnv> = async (context, next) => {
  await next();
  if (!(context.error instanceof Refused)) return;
  context.res = context.redirect(`/sign-in?refused=${context.error.code}`, 303);
};

/** What a browser left with, and the hash of the session that it had then. */
function readBegun(
  cookie: string | undefined,
): { begun: Begun | undefined; ends: Uint8Array | undefined } {
  const [state, nonce, verifier, ends, ...more] = (cookie ?? "").split(".");
  return {
    begun: state && nonce && verifier && more.length === 0 ? { state, nonce, verifier } : undefined,
    ends: decodeBase64Url(ends ?? ""),
  };
}
