import { openMailbox, type ReceivedMail } from "@sabika/sandbox/mailbox";
import type { PartnerAdminContext } from "@sabika/office/partners";
import { makeServerTls } from "./test_admin.ts";

/**
 * Runs the body while a mail server listens with a certificate of the deployment's authority; `next` resolves
 * with the next mail.
 */
export async function withMailbox(
  admin: Pick<PartnerAdminContext, "authorities">,
  body: (next: () => Promise<ReceivedMail>, server: URL) => Promise<void>,
): Promise<void> {
  const mails: ReceivedMail[] = [];
  let arrived = () => {};
  const { certificatePem: cert, keyPem: key } = await makeServerTls(admin);
  const mailbox = await openMailbox((mail) => {
    mails.push(mail);
    arrived();
  }, { cert, key });
  try {
    await body(async () => {
      while (mails.length === 0) await new Promise<void>((resolve) => arrived = resolve);
      return mails.shift()!;
    }, mailbox.url);
  } finally {
    await mailbox.close();
  }
}
