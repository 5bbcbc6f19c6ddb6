import { openPages } from "@sabika/console";
import type { PartnerAdminContext } from "@sabika/office/partners";
import { checkPort, type Surroundings, tryPort } from "@sabika/deployment/folders";
import { inviteFirstPerson } from "@sabika/deployment/preparation";
import { listenOffice } from "@sabika/office";
import { silentLog } from "@sabika/server";

/** The operator's console of a sandbox. */
export interface SandboxConsole {
  /** `http://localhost:<port>`: passkeys are bound to a host name, and an address is none. */
  readonly url: string;
  /**
   * A link with which the first to open it registers a passkey as `operator`; undefined when `operator`
   * has a passkey, or when acts need a signed-in person.
   */
  readonly enrolUrl: string | undefined;
  close(): Promise<void>;
}

/**
 * Serves the console on this machine alone.
 *
 * @param servicePort the service's port: the console takes the second one after it (the next is the demo
 * partner's endpoint), or any if that is taken; undefined when the service took any
 */
export async function openSandboxConsole(
  admin: PartnerAdminContext,
  servicePort: number | undefined,
  { log = silentLog }: Pick<Surroundings, "log">,
): Promise<SandboxConsole> {
  const wanted = (servicePort ?? Infinity) + 2;
  const port = (wanted <= 65_535 ? await tryPort(wanted) : undefined) ?? await checkPort(0);
  const url = `http://localhost:${port}`;
  const { pages, close } = await openPages(admin, log);
  const listening = await listenOffice(admin, {
    listen: { host: "127.0.0.1", port },
    origin: url,
    tls: undefined,
  }, { log, pages });
  return {
    url,
    enrolUrl: await inviteFirstPerson(admin, url),
    async close() {
      await listening.stop();
      close();
    },
  };
}
