import {
  endSession,
  makeChallenge,
  openSession,
  type SignedInBy,
  takeChallenge,
} from "../people/sessions.ts";
import { formatTime } from "@sabika/protocol";
import { type Context, Hono } from "hono";
import type { Office, OfficeEnv } from "../office.ts";
import { requestOptions, verifySignIn } from "../passkeys.ts";
import { membersOf, readBody } from "../read_body.ts";
import { Refused } from "../refused.ts";
import { requirePerson } from "../require_person.ts";
import { clearSessionCookie, readSessionCookie, writeSessionCookie } from "../session_cookie.ts";

/** Called with the name and address of each person who signed in, for the log. */
export type OnSignIn = (name: string, from: string) => void;

/** Makes the routes `/sign-in` by passkey, `/sign-out` and `/me`. */
export function signInRoutes(office: Office, onSignIn: OnSignIn): Hono<OfficeEnv> {
  const { origin, admin: { database: { sql }, now, random } } = office;
  return new Hono<OfficeEnv>()
    .post("/sign-in/options", async (context) => {
      const challenge = await makeChallenge({ sql, nowMs: now(), random });
      return context.json({ options: requestOptions(origin, challenge) });
    })
    .post("/sign-in", async (context) => {
      const credential = membersOf((await readBody(context))["credential"], "credential");
      const { challenge, ...person } = await verifySignIn(
        { sql, origin, nowMs: now() },
        credential,
      );
      // Last, so that nobody can use up another's challenge.
      if (!await takeChallenge({ sql, nowMs: now() }, challenge)) {
        throw new Refused("sign_in_failed");
      }
      onSignIn(person.name, context.get("from"));
      return await signIn(office, context, person);
    })
    .post("/sign-out", async (context) => {
      const token = readSessionCookie(context);
      if (token !== undefined) await endSession(sql, token);
      clearSessionCookie(context);
      return context.json({});
    })
    .get("/me", (context) => {
      const { name, roles, keyId, signedInUntilMs } = requirePerson(context);
      return context.json({
        name,
        roles,
        key_id: keyId,
        signed_in_until: signedInUntilMs === null ? null : formatTime(signedInUntilMs),
      });
    });
}

/** Opens a session for a person whose passkey was verified, and answers with it. */
export async function signIn(
  office: Office,
  context: Context<OfficeEnv>,
  { name, roles, ...session }: {
    operatorId: number;
    keyId: string;
    name: string;
    roles: readonly string[];
  },
): Promise<Response> {
  const expiresAtMs = await beginSession(office, context, session);
  return context.json({ name, roles, signed_in_until: formatTime(expiresAtMs) });
}

/**
 * Opens a session for a person who signed in, and gives their browser its cookie.
 *
 * @param oldSession the token of the browser's previous session, or its hash: that session ends now
 * @returns when the new session ends, epoch milliseconds
 */
export async function beginSession(
  { admin: { database: { sql }, now, random } }: Office,
  context: Context<OfficeEnv>,
  person: { operatorId: number } & SignedInBy,
  oldSession: string | Uint8Array | undefined = readSessionCookie(context),
): Promise<number> {
  if (oldSession !== undefined) await endSession(sql, oldSession);
  const nowMs = now();
  const from = context.get("from");
  const { token, expiresAtMs } = await openSession({ sql, nowMs, random }, { ...person, from });
  writeSessionCookie(context, token, Math.floor((expiresAtMs - nowMs) / 1000));
  return expiresAtMs;
}
