import type { Environment } from "@sabika/protocol";
import type { Database } from "@sabika/database";
import { describeError, type Job, type Log, startJobs } from "@sabika/server";
import type { SendMail, WriteMail } from "./mail.ts";
import { sendMails } from "./send_mails.ts";

/** What the notifier works on, and by which ways it tells. */
export interface NotifierParts {
  /** Control's, as the operator's role. */
  readonly database: Database;
  readonly environment: Environment;
  /** The office's address. */
  readonly origin: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly random: (length: number) => Uint8Array;
  readonly log: Log;
  readonly writeMail: WriteMail;
  /** Undefined where no mail server is set: then mails wait for a day. */
  readonly sendMail: SendMail | undefined;
}

const SEND_EVERY_MS = 1_000;

/**
 * Starts what tells people, apart from all requests: several offices may run it at once (Decision D98).
 *
 * @returns a function that stops it, and waits for what is being sent
 */
export function startNotifier(parts: NotifierParts): () => Promise<void> {
  const { database: { sql }, environment, origin, now, random, log, writeMail, sendMail } = parts;
  const sending = {
    sql,
    now,
    random,
    onFailed: ({ channel, id, reason }: { channel: string; id: number; reason: string }) =>
      log("warning", "notification_failed", { name: channel, sequence: id, reason }),
  };
  const jobs: Job[] = sendMail === undefined ? [] : [{
    name: "notification_mails",
    everyMs: SEND_EVERY_MS,
    run: () => sendMails({ ...sending, environment, origin, write: writeMail, send: sendMail }),
  }];
  return startJobs(
    jobs,
    (name, error) => log("error", "job_failed", { name, error: describeError(error) }),
  );
}
