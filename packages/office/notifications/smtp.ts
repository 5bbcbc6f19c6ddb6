import { rootCertificates } from "node:tls";
import { isLoopbackHost } from "@sabika/network";
import { createTransport } from "nodemailer";
import type { SendMail } from "./mail.ts";

/** The mail server that takes the office's mails. */
export interface MailSettings {
  /** `smtps://host[:port]`, or `smtp://host[:port]`: with STARTTLS, but for this machine. */
  readonly server: URL;
  /** The sender's address. */
  readonly from: string;
  /** Undefined where the server asks for none. */
  readonly login?: { readonly user: string; readonly password: string } | undefined;
}

/** For tests. */
export interface SmtpOptions {
  /** The time limit of a whole mail. */
  readonly limitMs?: number;
  /** PEM of an authority that is trusted beside the system's. */
  readonly extraCaPem?: string;
}

const LIMIT_MS = 15_000;
const PORTS: Readonly<Record<string, number>> = { "smtp:": 25, "smtps:": 465 };

/**
 * Makes the function that sends mails by SMTP (RFC 5321), over TLS, each on a connection of its own: a
 * mail server is asked a few times an hour.
 */
export function createSmtpSender(
  { server, from, login }: MailSettings,
  { limitMs = LIMIT_MS, extraCaPem }: SmtpOptions = {},
): SendMail {
  const isImplicit = server.protocol === "smtps:";
  return async ({ to, id, subject, text }) => {
    const transport = createTransport({
      host: server.hostname.replace(/^\[|\]$/g, ""),
      port: server.port === "" ? PORTS[server.protocol]! : Number(server.port),
      secure: isImplicit,
      requireTLS: !isImplicit && !isLoopbackHost(server.hostname),
      ignoreTLS: !isImplicit && isLoopbackHost(server.hostname),
      connectionTimeout: limitMs,
      greetingTimeout: limitMs,
      socketTimeout: limitMs,
      dnsTimeout: limitMs,
      tls: {
        minVersion: "TLSv1.2",
        ...extraCaPem !== undefined && { ca: [...rootCertificates, extraCaPem] },
      },
      ...login && { auth: { user: login.user, pass: login.password } },
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(Object.assign(new Error(), { code: "ETIMEDOUT" })), limitMs);
    });
    const sending = transport.sendMail({
      from,
      to,
      subject,
      text,
      messageId: `<${id}@${from.split("@").at(-1)}>`,
      headers: { "auto-submitted": "auto-generated" },
    });
    try {
      await Promise.race([sending, late]);
    } finally {
      clearTimeout(timer);
      sending.catch(() => {});
      transport.close();
    }
  };
}
