import { assertEquals } from "@std/assert";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { EDGE_SECRET, startEdge } from "../../test/support/edge/edge.ts";
import { rawCall, requestText } from "../../test/support/edge/raw_call.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { startTestService } from "../../test/support/test_service.ts";

// Sabika itself behind a real Envoy.

const folder = temporaryFolder();
const [path, edgeSecretFile] = [join(folder, "app.sock"), join(folder, "edge")];
await writeFile(edgeSecretFile, EDGE_SECRET, { mode: 0o600 });
const service = await startTestService({ instances: 0 });
const victim = service.partners[0].certificate.hashHex;
const instance = service.createInstance(() => {}, {
  baseUrl: "https://localhost",
  listen: { kind: "sidecar", address: { path }, edgeSecretFile },
});
await instance.start();
const edge = await startEdge({ instances: [{ address: `unix:${path}` }] });
after(async () => {
  await edge.close();
  await instance.stop();
  await service.close();
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
