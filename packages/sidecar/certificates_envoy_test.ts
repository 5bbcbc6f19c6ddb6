import { assert, assertEquals } from "@std/assert";
import { readFile } from "node:fs/promises";
import { after, test } from "node:test";
import { rotate } from "./rotate.ts";
import {
  createAuthority,
  type Credential,
  selfSigned,
  SERVER_ONLY,
} from "../../test/support/edge/authority.ts";
import { sayHello } from "../../test/support/edge/client_hello.ts";
import { RULES, startEdge } from "../../test/support/edge/edge.ts";
import { until } from "../../test/support/until.ts";
import { rawCall, requestText } from "../../test/support/edge/raw_call.ts";
import type { Arrived } from "../../test/support/edge/upstream.ts";

const DAY_MS = 86_400_000;

/** Whether a caller with this certificate gets any answer; in TLS 1.3 a refusal shows only on reading. */
async function isServed(credential: Credential | null): Promise<boolean> {
  const answered = await rawCall(edge, requestText("GET", "/health"), {
    credential,
    timeoutMs: 3_000,
  }).catch(() => undefined);
  return answered?.status === 200;
}

// Client certificates at a real Envoy (F61).

const edge = await startEdge();
after(edge.close);

const { authority } = edge;
const bad: Record<string, () => Promise<Credential | null>> = {
  "a missing": () => Promise.resolve(null),
  "a self-signed": () => selfSigned("demo"),
  "an expired": () => authority.issue({ commonName: "demo", notAfterMs: Date.now() - 1_000 }),
  "a future": () => authority.issue({ commonName: "demo", notBeforeMs: Date.now() + DAY_MS }),
  "another CA's": async () => (await createAuthority("Another CA")).issue({ commonName: "demo" }),
  "an equally named CA's (another environment's)": async () =>
    (await createAuthority("Sabika Test CA")).issue({ commonName: "demo" }),
  "a server-only": () => authority.issue({ commonName: "demo", usages: SERVER_ONLY }),
  "the CA's own": () => authority.asCredential(),
};
for (const [name, make] of Object.entries(bad)) {
  test(`Envoy refuses ${name} certificate`, async () => {
    const credential = await make();
    edge.upstream.arrived.length = 0;
    assertEquals(await isServed(credential), false);
    assertEquals(edge.upstream.arrived, []);
  });
}

// Nobody reads a certificate's names, so Envoy accepts it; the service knows only hashes.
test("Envoy forwards only a certificate's hash, whatever its names, even with NUL in them", async () => {
  const cases = [
    ["url", `urn:a,Hash=${"f".repeat(64)}`],
    ["url", "localhost\0.evil.example"],
    ["dns", "localhost\0.evil.example"],
  ] as const;
  for (const [type, value] of cases) {
    const names = [{ type, value }];
    const credential = await authority.issue({ commonName: "demo\0.evil.example", names });
    const answer = await rawCall(edge, requestText("GET", "/health"), { credential });
    const { headers } = JSON.parse(answer.body) as Arrived;
    const ofCertificate = headers.filter(([name]) => /cert/.test(name));
    assertEquals(ofCertificate, [["x-forwarded-client-cert", `Hash=${credential.hashHex}`]]);
  }
});

test("Envoy refuses TLS 1.1 and below, and ciphers without forward secrecy or authentication", async () => {
  const good = 0xc02b;
  assertEquals(await sayHello(edge.envoy.port, 0x0303, [good]), "hello");
  const protocolVersion = "alert 70";
  assertEquals(await sayHello(edge.envoy.port, 0x0302, [good, 0xc009]), protocolVersion);
  assertEquals(await sayHello(edge.envoy.port, 0x0301, [0xc009]), protocolVersion);
  const handshakeFailure = "alert 40";
  for (const cipher of [0x0005, 0xc007, 0xc009, 0xc023, 0x009c, 0x002f, 0x000a]) {
    assertEquals(await sayHello(edge.envoy.port, 0x0303, [cipher]), handshakeFailure);
  }
});

test("Envoy writes a line of JSON for a refused handshake, with its reason and nothing of HTTP", async () => {
  await isServed(await selfSigned("demo"));
  let refused: string | undefined;
  await until(async () => {
    const text = await readFile(`${edge.folder}/tls.log`, "utf8").catch(() => "");
    // Envoy writes when its buffer is full, so what is behind the last line feed is no line yet.
    const lines = text.split("\n").slice(0, -1);
    refused = lines.findLast((line) => line.includes("CERTIFICATE_VERIFY_FAILED"));
    return refused !== undefined;
  });
  const line = JSON.parse(refused!);
  assertEquals(line.event, "tls_refused");
  assertEquals(line.peer, "127.0.0.1");
});

test("Envoy refuses a revoked certificate as soon as a list with it is handed over", async () => {
  const revoked = await authority.issue({ commonName: "demo" });
  assert(await isServed(revoked));
  const partnerCrl = await authority.crl([revoked.serial]);
  const rotation = await rotate(edge.settings, { ...edge.secrets, partnerCrl }, {
    nowMs: Date.now(),
    ...RULES,
  });
  assertEquals(rotation.ok, true);
  assertEquals(await isServed(revoked), false);
  assert(await isServed(edge.partner));
});
