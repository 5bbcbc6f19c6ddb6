import { writeLine } from "@sabika/office/dossier";
import type { WriteMail } from "@sabika/office";
import { fill } from "./languages/fill.ts";
import { MESSAGES } from "./languages/languages.ts";
import { SETTINGS_PATH } from "./pages/notification_settings.tsx";
import { pathOfNotification, sayNotification } from "./layout/notification.ts";

/** A mail's subject is no longer than this; its text says all. */
const SUBJECT_MOST = 150;

/**
 * Writes a notification as a mail: what it is about, a request's dossier as the console shows it, and where the
 * console has more.
 */
export const writeMail: WriteMail = (told, language, { origin, environment }) => {
  const words = MESSAGES[language];
  const { product, mails } = words;
  const says = sayNotification(words, told);
  const names = { acts: words.acts, roles: words.roles };
  const dossier = (told.dossier ?? []).map((line) => {
    const { label, value, was } = writeLine(line, language, names);
    return was === undefined
      ? `${label}: ${value}`
      : `${label}: ${was} ${words.act.becomes} ${value}`;
  });
  const from = environment === "sandbox" ? `${product} (${words.environment.sandbox})` : product;
  const address = (path: string) => `${origin}/${language}${path}`;
  return {
    subject: `${from}: ${says}`.slice(0, SUBJECT_MOST),
    text: [
      says,
      ...dossier.length === 0 ? [] : ["", ...dossier],
      "",
      address(pathOfNotification(told)),
      "",
      fill(mails.why, { address: address(SETTINGS_PATH) }),
      "",
    ].join("\n"),
  };
};
