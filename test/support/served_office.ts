import { openDatabase } from "@sabika/database";
import { tryPort } from "@sabika/deployment/folders";
import { listenOffice, type Pages, readOfficeSettings, startOffice } from "@sabika/office";
import type { PartnerAdminContext } from "@sabika/office/partners";
import { silentLog } from "@sabika/server";
import { random } from "./random.ts";
import { makeServerTls } from "./test_admin.ts";
import type { TestDatabase } from "./test_database.ts";

interface OfficeOptions {
  readonly pages?: Pages;
  /** Whether it uses TLS, with a certificate of the deployment's authority. */
  readonly hasTls?: boolean;
  /** The address that people use, if there is a proxy before it; by default its own. */
  readonly origin?: string;
}

/** Serves the office at `localhost`, with the operator's database role. */
export async function serveOffice(
  admin: PartnerAdminContext,
  { urlAs }: Pick<TestDatabase, "urlAs">,
  { pages, hasTls = false, origin: proxied }: OfficeOptions = {},
) {
  const tls = hasTls ? await makeServerTls(admin) : undefined;
  const port = (await tryPort(0))!;
  const origin = proxied ?? `${hasTls ? "https" : "http"}://localhost:${port}`;
  const database = openDatabase(urlAs("sabika_operator"), { maxConnections: 4 });
  const office = await listenOffice(
    { ...admin, database, now: Date.now },
    { listen: { host: "127.0.0.1", port }, origin, tls },
    { log: () => {}, pages },
  );
  return {
    origin,
    port,
    async close() {
      await office.stop();
      await database.close();
    },
  };
}

/** Starts the office by its program, with these environment variables, on this machine. */
export async function startServedOffice(env: Readonly<Record<string, string>>) {
  const port = (await tryPort(0))!;
  const origin = `http://localhost:${port}`;
  const settings = await readOfficeSettings({
    SABIKA_ENVIRONMENT: "sandbox",
    ...env,
    SABIKA_ADMIN_LISTEN: `127.0.0.1:${port}`,
    SABIKA_ADMIN_ORIGIN: origin,
  });
  const { stop } = await startOffice(settings, { now: Date.now, random, log: silentLog, fetch });
  return { origin, stop };
}
