import { openDatabase } from "@sabika/database";
import { makeServerCertificate } from "@sabika/identity/certificates";
import { tryPort } from "@sabika/deployment/folders";
import { listenOffice, readOfficeSettings, startOffice } from "@sabika/office";
import { silentLog } from "@sabika/server";
import { testRecord } from "../secret_search/record.ts";
import { random, type TestAdmin } from "./test_admin.ts";

/** The office with TLS of its own, certified by the deployment's authority, on this machine. */
export async function serveOffice(admin: TestAdmin) {
  const server = await makeServerCertificate({
    authorities: admin.authorities,
    hosts: ["localhost"],
    nowMs: Date.now(),
    random,
  });
  testRecord.secretsIn(server.keyPem);
  const port = (await tryPort(0))!;
  const origin = `https://localhost:${port}`;
  const url = admin.testDatabase.urlAs("sabika_operator");
  const database = openDatabase(url, { maxConnections: 3 });
  const office = await listenOffice(
    { ...admin, database, now: Date.now },
    {
      listen: { host: "127.0.0.1", port },
      origin,
      tls: { certificatePem: server.certificatePem, keyPem: server.keyPem },
    },
    { log: () => {} },
  );
  return {
    origin,
    authorityPem: admin.authorities.clientCaPem,
    async close() {
      await office.stop();
      await database.close();
    },
  };
}

/** The office as its program starts it, by these variables, on this machine. */
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
