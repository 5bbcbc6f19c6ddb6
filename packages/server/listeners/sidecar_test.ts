import { after, test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { addAddress } from "@sabika/office/partners";
import { VERSION } from "@sabika/terms/settings";
import { openRaw, type RawRequest, sendRaw } from "../../../test/support/raw_https.ts";
import { temporaryFolder } from "../../../test/support/temporary_folder.ts";
import { testRecord } from "../../../test/secret_search/record.ts";
import { startTestService } from "../../../test/support/test_service.ts";
import { codeOf } from "../../../test/support/answers.ts";

// The listener that belongs to the sidecar: fault F59, and how it is drained.

const folder = temporaryFolder();
const path = join(folder, "app.sock");
const edgeSecretFile = join(folder, "edge");
const [SECRET, NEXT] = [crypto.randomUUID(), crypto.randomUUID()];
for (const secret of [SECRET, NEXT]) testRecord.secret("edge secret", secret);
await writeFile(edgeSecretFile, `${SECRET}\n${NEXT}\n`, { mode: 0o600 });

const service = await startTestService({ instances: 0 });
const { clientId, certificate } = service.partners[0];
assert((await addAddress(service.admin, clientId, "203.0.113.0/24")).ok);
const listen = { kind: "sidecar", address: { path }, edgeSecretFile } as const;
const instance = service.createInstance(
  (level, event, fields) =>
    testRecord.log("service", `${level} ${event} ${JSON.stringify(fields ?? {})}`),
  { listen, watch: { host: "127.0.0.1", port: 0 }, drainSeconds: 2 },
);
const { watchPort } = await instance.start();
after(async () => {
  await instance.stop();
  await service.close();
});

const RIGHT = {
  "x-sabika-edge": SECRET,
  "x-forwarded-client-cert": `Hash=${certificate.hashHex}`,
  "x-sabika-peer-address": "203.0.113.7",
  "x-request-id": "7f6c9a52-6f0b-4a50-8f3e-0d8f5f0a9b11",
};

/** A request with these headers, but for those that are undefined. */
function get(target: string, headers: Record<string, string | undefined>): RawRequest {
  const sent = Object.entries({ Host: "sabika.test", ...headers })
    .filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { method: "GET", target, headers: sent };
}

const health = (change: Record<string, string | undefined> = {}) =>
  sendRaw({ path }, get("/health", { ...RIGHT, ...change }));

test("the request's id is the sidecar's, so that both logs use the same one", async () => {
  const answer = await health();
  assertEquals(answer.headers.get("x-request-id"), `req_${RIGHT["x-request-id"]}`);
  for (const id of [undefined, "forged", "req_1", "7F6C9A52-6F0B-4A50-8F3E-0D8F5F0A9B11"]) {
    const other = await health({ "x-request-id": id });
    assert(!other.headers.get("x-request-id")!.toLowerCase().includes("forged"));
    assert(/^req_[0-9a-f-]{36}$/.test(other.headers.get("x-request-id")!));
  }
});

test("without the secret, or with incomplete headers, there is no caller (F59)", async () => {
  const hash = certificate.hashHex;
  const changes: Record<string, string | undefined>[] = [
    { "x-sabika-edge": undefined },
    { "x-sabika-edge": SECRET.slice(1) },
    { "x-forwarded-client-cert": undefined },
    { "x-forwarded-client-cert": hash },
    { "x-forwarded-client-cert": `Hash=${hash},Hash=${hash}` },
    { "x-sabika-peer-address": "somewhere" },
    { "x-sabika-edge": undefined, "client-cert": `:${hash}:`, "x-envoy-external-address": "::1" },
  ];
  for (const change of changes) {
    const answer = await health(change);
    assertEquals(codeOf(answer), "client_certificate_required", JSON.stringify(change));
    assertEquals(answer.status, 401);
  }
  const twice = await health({ "X-Forwarded-Client-Cert": `Hash=${"0".repeat(64)}` });
  assertEquals(twice.status, 401);
});

test("an unknown certificate and an unregistered address are refused with their own codes", async () => {
  const unknown = await health({ "x-forwarded-client-cert": `Hash=${"0".repeat(64)}` });
  assertEquals(codeOf(unknown), "client_certificate_unknown");
  assertEquals(codeOf(await health({ "x-sabika-peer-address": "198.51.100.1" })), "ip_not_allowed");
});

test("the socket is closed to others, and a second instance does not take it over", async () => {
  assertEquals((await stat(path)).mode & 0o007, 0);
  const second = service.createInstance(() => {}, { listen });
  await assertRejects(() => second.start(), Error, "in use");
  assertEquals((await health()).status, 200);
});

test("readiness, liveness and metrics are answered on the watch listener alone", async () => {
  const watch = async (target: string) => {
    const response = await fetch(`http://127.0.0.1:${watchPort}${target}`);
    return [response.status, await response.text()] as const;
  };
  assertEquals(await watch("/live"), [200, "ready\n"]);
  assertEquals(await watch("/ready"), [200, "ready\n"]);
  assertEquals((await watch("/other"))[0], 404);
  // The version is the operator's to know: partners' /health has it not.
  assertEquals(await watch("/health"), [200, `{"status":"ok","version":"${VERSION}"}\n`]);
  assertEquals((await health()).body.includes("version"), false);
  const [, metrics] = await watch("/metrics");
  const names = [
    'sabika_http_requests_total{route="/health",status="200",code="ok"}',
    'sabika_http_request_duration_seconds_bucket{le="0.001",route="/health"}',
    "sabika_nonce_partitions 6",
    "sabika_outbox_lag_seconds",
    "sabika_price_age_seconds 0",
    'sabika_credential_days_left{partner="bank-a",kind="certificate"}',
    "sabika_ready 1",
    "sabika_register_fresh 1",
    "sabika_database_up 1",
  ];
  for (const name of names) assert(metrics.includes(name), `${name} is not in\n${metrics}`);
  for (const target of ["/metrics", "/live"]) {
    assertEquals((await sendRaw({ path }, get(target, RIGHT))).status, 404);
  }
});

test("a draining instance is not ready at once, still answers, then removes its socket", async () => {
  const connection = await openRaw({ path });
  assertEquals((await connection.send(get("/ready", {}))).status, 200);
  // The request is on its way when the service is told to stop.
  const last = connection.send(get("/v1/balances", RIGHT));
  const stopped = instance.stop();
  const ready = await sendRaw({ path }, get("/ready", {}));
  assertEquals([(await last).status, ready.status], [401, 503]);
  await stopped;
  connection.close();
  await assertRejects(() => health());
});
