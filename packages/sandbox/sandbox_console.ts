import { createConsole } from "@sabika/console";
import { listOperators, readPeopleSince, ROLES } from "@sabika/core/admin";
import { plainFetch } from "@sabika/core/network";
import { performAct } from "@sabika/core/office";
import type { PartnerAdminContext } from "@sabika/core/partners";
import { createConfiguredPrices } from "@sabika/core/trading";
import { checkPort, type Surroundings, tryPort } from "@sabika/deployment/folders";
import { must } from "@sabika/deployment/preparation";
import { listenOffice } from "@sabika/office";
import { encodeBase64Url, encodeUtf8, sha256Hex } from "@sabika/protocol";
import { describeError } from "@sabika/server";

/** The operator's console of a sandbox. */
export interface SandboxConsole {
  /** `http://localhost:<port>`: passkeys are bound to a name, and this machine's is one. */
  readonly url: string;
  /**
   * By which whoever opens it first registers a passkey as {@linkcode OPERATOR}; undefined when
   * somebody has, or when acts need a person.
   */
  readonly enrolUrl: string | undefined;
  close(): Promise<void>;
}

/** Who has every role in a sandbox. */
const OPERATOR = "operator";
const LINK_BYTES = 32;

/**
 * Serves the console on this machine alone.
 *
 * @param servicePort where the service listens: the console takes the second port after it, since the
 * next one is the demo partner's endpoint; or any when that is taken or the service took any
 */
export async function openSandboxConsole(
  admin: PartnerAdminContext,
  servicePort: number | undefined,
  { log = () => {} }: Pick<Surroundings, "log">,
): Promise<SandboxConsole> {
  const { database, environment, secrets, now } = admin;
  const wanted = (servicePort ?? Infinity) + 2;
  const port = (wanted <= 65_535 ? await tryPort(wanted) : undefined) ?? await checkPort(0);
  const url = `http://localhost:${port}`;
  const onError = (error: unknown) => log("error", "page_failed", { error: describeError(error) });
  const prices = createConfiguredPrices({
    ...{ database, secrets, environment, now, onError },
    fetch: plainFetch,
  });
  await prices.refresh();
  const listening = await listenOffice(admin, {
    ...{ listen: { host: "127.0.0.1", port }, origin: url, tls: undefined },
  }, { log, pages: createConsole({ prices, onError }) });
  return {
    url,
    enrolUrl: await makeLink(admin, url),
    async close() {
      await listening.stop();
      prices.close();
    },
  };
}

async function makeLink(admin: PartnerAdminContext, url: string): Promise<string | undefined> {
  const { database: { sql }, random } = admin;
  const [found] = await listOperators(sql, OPERATOR);
  if (await readPeopleSince(sql) !== null || (found?.keys.length ?? 0) > 0) return undefined;
  if (found === undefined) {
    const given = { operator: OPERATOR, roles: [...ROLES] };
    must(await performAct(admin, { name: "operator.add", arguments: given }));
  }
  const token = encodeBase64Url(random(LINK_BYTES));
  const given = { operator: OPERATOR, link_sha256: await sha256Hex(encodeUtf8(token)) };
  must(await performAct(admin, { name: "operator.link", arguments: given }));
  return `${url}/enrol#${token}`;
}
