import type { Environment } from "@sabika/protocol";
import type { Language, ReadNotification } from "@sabika/service/notifications";
import type { Dossier } from "../acts/dossier/line.ts";

/** What a mail tells. */
export interface ToldByMail extends Pick<ReadNotification, "kind" | "subject" | "facts"> {
  /** Of a request: what it is about (Decision D96). */
  readonly dossier: Dossier | null;
}

/** A mail as it is written for its reader; plain text. */
export interface WrittenMail {
  readonly subject: string;
  readonly text: string;
}

/** The office that a mail comes from; `origin` is its address, where links lead. */
export interface MailOrigin {
  readonly origin: string;
  readonly environment: Environment;
}

/** Writes a mail in the reader's language. */
export type WriteMail = (told: ToldByMail, language: Language, office: MailOrigin) => WrittenMail;

/** A mail with whom it is for. */
export interface Mail extends WrittenMail {
  readonly to: string;
  /** The same for each attempt, so that a mail that arrives twice can be known. */
  readonly id: string;
}

/** Sends a mail; resolves when the mail server has taken it, and rejects when it has not within 15 s. */
export type SendMail = (mail: Mail) => Promise<void>;
