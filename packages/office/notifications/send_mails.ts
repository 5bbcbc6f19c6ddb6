import { listApprovals } from "../acts/read_approvals.ts";
import type { MailOrigin, SendMail, WriteMail } from "./mail.ts";
import { sendDue, type SendingParts } from "./send_due.ts";

/** What mails need besides. */
export interface MailParts extends SendingParts, MailOrigin {
  readonly write: WriteMail;
  readonly send: SendMail;
}

/** Sends the mails that are due, each in its reader's language, those about a request with its dossier. */
export async function sendMails(parts: MailParts): Promise<void> {
  const { sql, environment, now, write, send } = parts;
  await sendDue(parts, "mail", async ({ deliveryId, address, language, ...told }) => {
    if (address === null || language === null) return { reason: "no address", pauseMs: undefined };
    const [request] = told.kind.startsWith("approval_")
      ? await listApprovals(sql, environment, { nowMs: now(), id: told.subject })
      : [];
    const mail = write({ ...told, dossier: request?.dossier ?? null }, language, parts);
    await send({ ...mail, to: address, id: `sabika-${told.id}-${deliveryId}` });
    return undefined;
  });
}
