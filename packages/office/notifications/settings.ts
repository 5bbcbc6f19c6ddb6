import { isMailAddress } from "@sabika/service/notifications";
import { type Env, readOptionalFile, readSetting, SettingsError } from "@sabika/terms/settings";
import type { MailSettings } from "./smtp.ts";

/** By which ways the office tells people. */
export interface NotificationSettings {
  /** Undefined where nobody gets mails. */
  readonly mail: MailSettings | undefined;
}

/** @throws {SettingsError} when one is wrong, or is missing beside another */
export async function readNotificationSettings(env: Env): Promise<NotificationSettings> {
  return { mail: await readMail(env) };
}

async function readMail(env: Env): Promise<MailSettings | undefined> {
  const server = readSetting(env, "SABIKA_MAIL_SERVER");
  const from = readSetting(env, "SABIKA_MAIL_FROM");
  const user = readSetting(env, "SABIKA_MAIL_USER");
  const password = (await readOptionalFile(env, "SABIKA_MAIL_PASSWORD_FILE"))?.trim();
  if (server === undefined) {
    if (from === undefined && user === undefined && password === undefined) return undefined;
    throw new SettingsError("SABIKA_MAIL_SERVER is missing");
  }
  if (!/^smtps?:\/\/[^\s/?#@]+\/?$/.test(server) || !URL.canParse(server)) {
    throw new SettingsError("SABIKA_MAIL_SERVER must be smtps://host[:port] or smtp://host[:port]");
  }
  if (from === undefined || !isMailAddress(from)) {
    throw new SettingsError("SABIKA_MAIL_FROM must be an address of mail");
  }
  if ((user === undefined) !== !password) {
    throw new SettingsError("SABIKA_MAIL_USER and SABIKA_MAIL_PASSWORD_FILE are given together");
  }
  return {
    server: new URL(server),
    from,
    login: user === undefined ? undefined : { user, password: password! },
  };
}
