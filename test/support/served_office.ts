import { makeServerCertificate } from "@sabika/core/partners";
import { openDatabase } from "@sabika/core/store";
import { tryPort } from "@sabika/deployment/folders";
import { listenOffice } from "@sabika/office";
import { testRecord } from "../secret_search/record.ts";
import { random, type TestAdmin } from "./test_admin.ts";

/** The office with TLS of its own, certified by the deployment's authority, on this machine. */
export async function serveOffice(admin: TestAdmin) {
  const server = await makeServerCertificate({
    ...{ authorities: admin.authorities, hosts: ["localhost"], nowMs: Date.now(), random },
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
