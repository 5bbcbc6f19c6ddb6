import { join } from "node:path";
import { openPages } from "@sabika/console";
import type { PartnerAdminContext } from "@sabika/office/partners";
import { checkPort, type Surroundings, tryPort } from "@sabika/deployment/folders";
import { writePrivateFile } from "@sabika/identity/keys";
import { inviteFirstPerson } from "@sabika/deployment/preparation";
import {
  createSmtpSender,
  listenOffice,
  readNotificationSettings,
  startNotifier,
} from "@sabika/office";
import { silentLog } from "@sabika/server";
import { openMailbox, type ReceivedMail } from "./mailbox.ts";

/** The operator's console of a sandbox. */
export interface SandboxConsole {
  /** `http://localhost:<port>`: passkeys are bound to a host name, and an address is none. */
  readonly url: string;
  /**
   * A link with which the first to open it registers a passkey as `operator`; undefined when `operator`
   * has a passkey, or when acts need a signed-in person.
   */
  readonly enrolUrl: string | undefined;
  /** Called with each mail to the operator's people, and the file that has it; the caller may replace it. */
  onMail: (mail: ReceivedMail, file: string) => void;
  close(): Promise<void>;
}

/**
 * Serves the console on this machine alone.
 *
 * @param servicePort the service's port: the console takes the second one after it (the next is the demo
 * partner's endpoint), or any if that is taken; undefined when the service took any
 * @param mailsFolder where mails are written instead of being sent
 */
export async function openSandboxConsole(
  admin: PartnerAdminContext,
  servicePort: number | undefined,
  mailsFolder: string,
  { log = silentLog }: Pick<Surroundings, "log">,
): Promise<SandboxConsole> {
  const wanted = (servicePort ?? Infinity) + 2;
  const port = (wanted <= 65_535 ? await tryPort(wanted) : undefined) ?? await checkPort(0);
  const url = `http://localhost:${port}`;
  const { reserveLowMicrograms } = await readNotificationSettings({}, "sandbox");
  const { pages, prices, writeMail, close } = await openPages(admin, log, { reserveLowMicrograms });
  const mailbox = await openMailbox(async (mail) => {
    const file = join(mailsFolder, `${mail.messageId.replace(/^<|@.*|[^a-z0-9-]/g, "")}.txt`);
    const text = `To: ${mail.to.join(", ")}\nSubject: ${mail.subject}\n\n${mail.text}`;
    await writePrivateFile(file, text);
    opened.onMail(mail, file);
  });
  const listening = await listenOffice(admin, {
    listen: { host: "127.0.0.1", port },
    origin: url,
    tls: undefined,
  }, { log, pages });
  // Before anything is told: else nobody is there to be told.
  const enrolUrl = await inviteFirstPerson(admin, url);
  const sendMail = createSmtpSender({ server: mailbox.url, from: "office@sabika.example" });
  const stopNotifier = startNotifier({
    ...admin,
    origin: url,
    log,
    prices,
    reserveLowMicrograms,
    writeMail,
    sendMail,
    webhook: undefined,
  });
  const opened: SandboxConsole = {
    url,
    enrolUrl,
    onMail: () => {},
    async close() {
      await listening.stop();
      await stopNotifier();
      await mailbox.close();
      close();
    },
  };
  return opened;
}
