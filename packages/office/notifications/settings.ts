import { type Environment, parseWebhookSecret } from "@sabika/protocol";
import { checkWebhookUrl } from "@sabika/service/delivery";
import { isMailAddress } from "@sabika/service/notifications";
import { type Env, readOptionalFile, readSetting, SettingsError } from "@sabika/terms/settings";
import type { WebhookSettings } from "./send_webhooks.ts";
import type { MailSettings } from "./smtp.ts";

/** By which ways the office tells people. */
export interface NotificationSettings {
  /** Undefined where nobody gets mails. */
  readonly mail: MailSettings | undefined;
  /** Undefined where no webhook is told. */
  readonly webhook: WebhookSettings | undefined;
  /** Less free gold in the vault than this is little. */
  readonly reserveLowMicrograms: bigint;
}

/** @throws {SettingsError} when one is wrong, or is missing beside another */
export async function readNotificationSettings(
  env: Env,
  environment: Environment,
): Promise<NotificationSettings> {
  const reserveLowGrams = readSetting(env, "SABIKA_RESERVE_LOW_GRAMS");
  return {
    mail: await readMail(env),
    webhook: await readWebhook(env, environment),
    reserveLowMicrograms: BigInt(reserveLowGrams) * 1_000_000n,
  };
}

async function readWebhook(
  env: Env,
  environment: Environment,
): Promise<WebhookSettings | undefined> {
  const url = readSetting(env, "SABIKA_NOTIFY_WEBHOOK_URL");
  const text = await readOptionalFile(env, "SABIKA_NOTIFY_WEBHOOK_SECRET_FILE");
  if (url === undefined && text === undefined) return undefined;
  if (url === undefined || text === undefined) {
    throw new SettingsError(
      "SABIKA_NOTIFY_WEBHOOK_URL and SABIKA_NOTIFY_WEBHOOK_SECRET_FILE are given together",
    );
  }
  const checked = checkWebhookUrl(url, { allowLoopback: environment === "sandbox" });
  if (!checked.ok) throw new SettingsError(`SABIKA_NOTIFY_WEBHOOK_URL: ${checked.reason}`);
  const secrets = text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  if (secrets.length === 0 || !secrets.every(isSecret)) {
    throw new SettingsError(
      "SABIKA_NOTIFY_WEBHOOK_SECRET_FILE must have secrets, whsec_ and base64 of 24 to 64 bytes, one on each line",
    );
  }
  return { url, secrets };
}

/** Whether it is a secret of Standard Webhooks, long enough that nobody guesses it. */
function isSecret(text: string): boolean {
  const { length = 0 } = parseWebhookSecret(text) ?? {};
  return length >= 24 && length <= 64;
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
