import { once } from "node:events";
import type { AddressInfo } from "node:net";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";

/** A mail as it arrived. */
export interface ReceivedMail {
  readonly to: readonly string[];
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  readonly messageId: string;
}

/** A mail server on this machine that takes every mail and sends none on. */
export interface Mailbox {
  /** `smtp://127.0.0.1:port`, or with a certificate `smtps:`. */
  readonly url: URL;
  close(): Promise<void>;
}

/**
 * Opens a mailbox on a free port of this machine.
 *
 * @param onMail called with each mail before it is acknowledged; if it throws, the mail is refused
 * @param tls the certificate and key of a server that speaks TLS from the start, PEM
 */
export async function openMailbox(
  onMail: (mail: ReceivedMail) => Promise<void> | void,
  tls?: { readonly cert: string; readonly key: string },
): Promise<Mailbox> {
  const server = new SMTPServer({
    secure: tls !== undefined,
    ...tls,
    authOptional: true,
    disabledCommands: tls === undefined ? ["STARTTLS", "AUTH"] : ["AUTH"],
    size: 1_000_000,
    onData(stream, { envelope }, done) {
      take(stream, envelope.rcptTo.map(({ address }) => address)).then(() => done(), done);
    },
  });
  async function take(stream: AsyncIterable<Uint8Array>, to: readonly string[]): Promise<void> {
    const parts: Uint8Array[] = [];
    for await (const part of stream) parts.push(part);
    const mail = await PostalMime.parse(new Blob(parts as BlobPart[]));
    const { from, subject = "", text = "", messageId = "" } = mail;
    await onMail({ to, from: from?.address ?? "", subject, text, messageId });
  }
  // A client that breaks off is nobody's concern.
  server.on("error", () => {});
  const listening = server.listen(0, "127.0.0.1");
  await once(listening, "listening");
  const { port } = listening.address() as AddressInfo;
  return {
    url: new URL(`${tls === undefined ? "smtp" : "smtps"}://127.0.0.1:${port}`),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
