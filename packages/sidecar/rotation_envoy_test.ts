import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { writeFile } from "node:fs/promises";
import { after, test } from "node:test";
import { findProgram } from "../../tools/programs/find_program.ts";
import { rotate } from "./rotate.ts";
import { runEnvoy } from "./run_envoy.ts";
import { currentVersion } from "./sds_folder.ts";
import { createAuthority, SHORT_RSA } from "../../test/support/edge/authority.ts";
import { EDGE_SECRET, RULES, startEdge } from "../../test/support/edge/edge.ts";
import { startLoad } from "../../test/support/edge/load.ts";
import { openTls, rawCall, requestText } from "../../test/support/edge/raw_call.ts";

// Rotation without a restart, with a real Envoy.

const edge = await startEdge();
after(edge.close);
const rules = () => ({ nowMs: Date.now(), ...RULES });

test("Envoy takes over certificate, CA, revocation list and edge secret under load with 0 failed requests", async () => {
  const second = await createAuthority("Sabika Test CA 2");
  const load = startLoad(edge);
  for (let round = 0; round < 6; round++) {
    const server = await edge.authority.issueServer();
    const rotation = await rotate(edge.settings, {
      serverCertificate: server.certificate,
      serverKey: server.key,
      partnerCa: edge.authority.pem + "\n" + second.pem,
      partnerCrl: await edge.authority.crl(["aa"]) + "\n" + await second.crl(),
      edgeSecret: `another-edge-secret-${round}-0123456789abcdef`,
    }, rules());
    assertEquals(rotation, {
      ok: true,
      version: await currentVersion(edge.folder) ?? "",
      applied: true,
    });
    const socket = await openTls(edge, edge.partner);
    const shown = socket.getPeerCertificate().serialNumber;
    socket.destroy();
    assertEquals(BigInt(`0x${shown}`), BigInt(`0x${server.serial}`));
    const before = edge.upstream.arrived.length;
    const answer = await rawCall(edge, requestText("GET", "/health"));
    assertStringIncludes(answer.body, `another-edge-secret-${round}`);
    assert(edge.upstream.arrived.length > before);
  }
  const seen = await load.stop();
  assertEquals(seen.failures, []);
  assert(seen.answered > 100, `${seen.answered} answered`);
  // A partner with a certificate of the new CA is accepted.
  const credential = await second.issue({ commonName: "demo" });
  assertEquals((await rawCall(edge, requestText("GET", "/health"), { credential })).status, 200);
});

test("nothing of a bad set is stored, and Envoy keeps the old one", async () => {
  const before = await currentVersion(edge.folder);
  const rotation = await rotate(edge.settings, { ...edge.secrets, partnerCrl: "" }, rules());
  assertStringIncludes(rotation.ok ? "" : rotation.problems.join(), "switch revocation off");
  assertEquals(await currentVersion(edge.folder), before);
});

test("when Envoy refuses a set, the pointers are put back and the old set stays in use", async () => {
  await rotate(edge.settings, edge.secrets, rules());
  const before = await currentVersion(edge.folder);
  const load = startLoad(edge, { callers: 2 });
  const short = await edge.authority.issueServer({ algorithm: SHORT_RSA });
  const refused = await rotate(edge.settings, {
    ...edge.secrets,
    serverCertificate: short.certificate,
    serverKey: short.key,
  }, rules());
  assert(!refused.ok);
  assertStringIncludes(refused.problems.join(), "Envoy refused");
  assertEquals(await currentVersion(edge.folder), before);
  assertEquals((await load.stop()).failures, []);
  assertEquals((await rawCall(edge, requestText("GET", "/health"))).status, 200);
  // Afterwards Envoy accepts a good set.
  assertEquals((await rotate(edge.settings, edge.secrets, rules())).ok, true);
  assertStringIncludes((await rawCall(edge, requestText("GET", "/health"))).body, EDGE_SECRET);
});

test("Envoy forwards nothing without an edge secret, and answers 503 service_unavailable", async (t) => {
  const lone = await startEdge();
  t.after(() => lone.close());
  const version = await currentVersion(lone.folder);
  await lone.envoy.stop();
  await writeFile(`${lone.folder}/sets/${version}/edge_secret`, "");
  const { command } = await findProgram("envoy");
  const started = await runEnvoy(command, lone.settings, Date.now());
  try {
    const answer = await rawCall(
      { ...lone, envoy: started },
      requestText("POST", "/v1/orders", [], "{}"),
    );
    assertEquals(answer.status, 503, answer.text);
    assertEquals(JSON.parse(answer.body).code, "service_unavailable");
    assertEquals(lone.upstream.arrived, []);
  } finally {
    await started.stop();
  }
});
