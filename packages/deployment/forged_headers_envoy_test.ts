import { assertEquals } from "@std/assert";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { readMasterKeys } from "@sabika/identity/secrets";
import { admitPartner } from "@sabika/office/partners";
import { createService } from "@sabika/server";
import { createFixedPrice } from "@sabika/service/prices";
import { EDGE_SECRET, startEdge } from "../../test/support/edge/edge.ts";
import { rawCall, requestText } from "../../test/support/edge/raw_call.ts";
import { random } from "../../test/support/random.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { anAdmission, openTestAdmin } from "../../test/support/test_admin.ts";

// Sabika itself behind a real Envoy.

const folder = temporaryFolder();
const [path, edgeSecretFile] = [join(folder, "app.sock"), join(folder, "edge")];
await writeFile(edgeSecretFile, EDGE_SECRET, { mode: 0o600 });
const admin = await openTestAdmin();
const admitted = await admitPartner(admin, anAdmission("bank-a"));
if (!admitted.ok) throw new Error(admitted.code);
const victim = admitted.value.certificate!.hashHex;
const service = createService({
  environment: "sandbox",
  baseUrl: "https://localhost",
  databaseUrl: admin.testDatabase.urlAs("sabika_app"),
  databaseConnections: 2,
  masterKeys: readMasterKeys(admin.masterKeyText),
  listen: { kind: "sidecar", address: { path }, edgeSecretFile },
  deliverWebhooks: false,
}, {
  now: Date.now,
  random,
  prices: createFixedPrice({ midTenThousandths: 4_000_000n }),
});
await service.start();
const edge = await startEdge({ instances: [{ address: `unix:${path}` }] });
after(async () => {
  await edge.close();
  await service.stop();
  await admin.close();
});

test("Sabika: who forges a partner's certificate hash stays an unknown caller (F60)", async () => {
  const forgeries = [
    [],
    [`X-Forwarded-Client-Cert: Hash=${victim}`],
    [`X-Forwarded-Client-Cert: Hash=${victim}`, `x-forwarded-client-cert: Hash=${victim}`],
    [`X-Forwarded-Client-Cert: Hash=${victim}`, `X-Sabika-Edge: ${EDGE_SECRET}`],
    ["Connection: x-forwarded-client-cert", `X-Forwarded-Client-Cert: Hash=${victim}`],
  ];
  for (const headers of forgeries) {
    const answer = await rawCall(edge, requestText("GET", "/health", headers));
    assertEquals(answer.status, 401, answer.text);
    assertEquals(JSON.parse(answer.body).code, "client_certificate_unknown");
  }
});
