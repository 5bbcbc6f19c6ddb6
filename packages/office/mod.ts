/**
 * The operator's office over HTTP: `/admin/v1`, people's sessions, and the listener that pages are
 * mounted on.
 *
 * `open_api.ts` describes what it answers. A browser signs in with `/sign-in/options` and `/sign-in`,
 * registers a passkey by its one-time link `<origin>/enrol#<token>` with the three steps of `/enrolment`,
 * and has an act signed with `/acts/stage` and `/acts`. Between the steps `navigator.credentials` takes
 * the `options` of each answer, and `toJSON()` of its result is sent as `credential`.
 */
export type {
  Office,
  OfficeEnv,
  OpenedPages,
  Pages,
  SignedByPasskey,
  StagedAct,
} from "./office.ts";
export type { WriteMail } from "./notifications/mail.ts";
export { readNotificationSettings } from "./notifications/settings.ts";
export { createSmtpSender } from "./notifications/smtp.ts";
export { startNotifier } from "./notifications/start_notifier.ts";
export type { Person } from "./people/person.ts";
export { createOfficeApp } from "./app.ts";
export { createOffice } from "./create_office.ts";
export { revocationsJob } from "./publish_revocations.ts";
export { Refused } from "./refused.ts";
export { readSessionCookie } from "./session_cookie.ts";
export { createSingleSignOn, type SingleSignOn } from "./single_sign_on.ts";
export { type OfficeSettings, readOfficeSettings } from "./settings.ts";
export {
  listenOffice,
  type OfficeSurroundings,
  type RunningOffice,
  startOffice,
} from "./start_office.ts";
