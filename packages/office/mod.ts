/**
 * The operator's office over HTTP: `/admin/v1`, people's sessions, and the listener that pages are
 * mounted on.
 *
 * Signing in, from a page (all JSON, all `POST`, answers 200 or problem+json):
 *
 * - `/admin/v1/sign-in/options` with `{}`: `{options}` for
 *   `navigator.credentials.get({publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options)})`;
 * - `/admin/v1/sign-in` with `{credential: credential.toJSON()}`: `{name, roles, signed_in_until}`, and
 *   the cookie `__Host-sabika_office` (HttpOnly, SameSite=Strict, Path=/);
 * - `/admin/v1/sign-out` with `{}`: ends the session.
 *
 * A person's first passkey, or one more, with the one-time link `<origin>/enrol#<token>`:
 *
 * - `/admin/v1/enrolment/options` with `{link}`: `{operator, options}` for
 *   `navigator.credentials.create({publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options)})`;
 * - `/admin/v1/enrolment/act` with `{link, credential}`: the staged act by which the new passkey
 *   signs its own registration, for `navigator.credentials.get`;
 * - `/admin/v1/enrolment` with `{link, registration: <the first credential>, act: <as staged>,
 *   credential: <the second>}`: the person is signed in, as after `/admin/v1/sign-in`.
 *
 * By the company's OpenID provider (Decision D84) a browser opens `/admin/v1/single-sign-on` itself: it
 * comes back signed in, or to `/sign-in?refused=CODE`.
 *
 * An act, signed in (or by `office.stageAct` and `office.performSigned` from a page's own route):
 *
 * - `/admin/v1/acts/stage` with `{name, arguments}`: `{act: {id, name, arguments, signed_at},
 *   options}` for `navigator.credentials.get`;
 * - `/admin/v1/acts` with `{act, credential}`: `{state: "done", result}` or `{state: "waiting",
 *   request, until, approvers}`.
 */
export type {
  Office,
  OfficeEnv,
  OfficeVariables,
  OpenedPages,
  Pages,
  Person,
  SignedByPasskey,
  StagedAct,
} from "./office.ts";
export { createOfficeApp } from "./app.ts";
export { createOffice } from "./create_office.ts";
export { Refused } from "./refused.ts";
export { createSingleSignOn, type SingleSignOn } from "./single_sign_on.ts";
export { findPerson, requirePerson, requireRight } from "./require_person.ts";
export { type OfficeSettings, readOfficeSettings } from "./settings.ts";
export {
  listenOffice,
  type OfficeSurroundings,
  type RunningOffice,
  startOffice,
} from "./start_office.ts";
