import type { Setting } from "./setting.ts";
import { PATH, text, wholeNumber } from "./value.ts";

/** The settings by which the office tells people ([D98](decisions/office.md)). */
export const NOTIFICATION_SETTINGS = {
  SABIKA_MAIL_SERVER: {
    readBy: ["office"],
    means: "The mail server that takes the office's mails.",
    value: text("`smtps://host[:port]`, or `smtp://host[:port]` with STARTTLS"),
    otherwise: "nobody gets mails",
    never: "another machine without TLS",
  },
  SABIKA_MAIL_FROM: {
    readBy: ["office"],
    means: "The sender of the office's mails.",
    value: text("address of mail"),
    otherwise: "needed with a mail server",
  },
  SABIKA_MAIL_USER: {
    readBy: ["office"],
    means: "Who the office is to the mail server.",
    value: text(),
    otherwise: "the mail server asks for nobody",
  },
  SABIKA_MAIL_PASSWORD_FILE: {
    readBy: ["office"],
    means: "Its password there.",
    value: PATH,
    otherwise: "needed with a user",
    secret: "file",
  },
  SABIKA_NOTIFY_WEBHOOK_URL: {
    readBy: ["office"],
    means: "The operator's own webhook, which is told of everything.",
    value: text("`https://…`"),
    otherwise: "no webhook is told",
    never: "`http`; in production, an address that is not public",
  },
  SABIKA_NOTIFY_WEBHOOK_SECRET_FILE: {
    readBy: ["office"],
    means: "What signs its messages, a secret on each line; every one of them signs.",
    value: text("path of a file with lines of `whsec_` and base64"),
    otherwise: "needed with a webhook",
    secret: "file",
  },
  SABIKA_RESERVE_LOW_GRAMS: {
    readBy: ["office"],
    means: "Less free gold in the vault than this is told as little.",
    value: wholeNumber("grams", { otherwise: 1_000 }),
  },
} satisfies Readonly<Record<string, Setting>>;
