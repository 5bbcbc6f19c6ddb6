import { after, test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  H2C_SETTINGS,
  HOST,
  MALFORMED_REQUESTS,
  upgradeOf,
} from "../../../test/support/malformed_requests.ts";
import { sayHello } from "../../../test/support/edge/client_hello.ts";
import { openRaw } from "../../../test/support/raw_https.ts";
import { codeOf } from "../../../test/support/answers.ts";
import { countRows, startTestService } from "../../../test/support/test_service.ts";

// F63 at the server's own TLS, as the sandbox listens; behind Envoy see packages/sidecar.

const service = await startTestService();
after(service.close);
const [bank] = service.partners;
const SECOND = `GET /health HTTP/1.1\r\n${HOST}\r\n`;

const malformed: Record<string, string> = {
  ...MALFORMED_REQUESTS,
  "an empty Host": "GET /health HTTP/1.1\r\nHost: \r\n\r\n",
  "HTTP/2.0 in the request line": `GET /health HTTP/2.0\r\n${HOST}\r\n`,
  "HTTP/0.9 in the request line": `GET /health HTTP/0.9\r\n${HOST}\r\n`,
  "no version": "GET /health\r\n\r\n",
  "a folded line": `GET /health HTTP/1.1\r\n${HOST}A: b\r\n X-Nonce: folded\r\n\r\n`,
  "bare line feeds": `GET /health HTTP/1.1\nHost: localhost\nA: b\n\n`,
  "Upgrade: h2c with early data": upgradeOf(
    "Connection: Upgrade, HTTP2-Settings",
    "Upgrade: h2c",
    H2C_SETTINGS,
  ) + "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
};
test("what can be read in two ways is 400, the connection ends, and nothing is carried out (F63)", async () => {
  const before = await countRows(service);
  for (const [name, text] of Object.entries(malformed)) {
    const connection = await openRaw(service.caller(bank));
    const bytes = Uint8Array.from(text + SECOND, (letter) => letter.charCodeAt(0));
    const answer = await connection.sendBytes(bytes);
    assertEquals([name, answer.status, codeOf(answer)], [name, 400, "malformed_request"]);
    assertEquals(answer.headers.get("connection"), "close");
    assert(answer.headers.get("x-request-id")?.startsWith("req_"));
    await assertRejects(() => connection.sendBytes(new Uint8Array(0)), Error);
  }
  assertEquals(await countRows(service), before);
});

test("TLS below 1.2, CBC suites and those without forward secrecy are refused (F61)", async () => {
  const [port] = service.ports;
  for (const cipher of [0xc009, 0xc00a, 0xc023, 0xc024, 0xc013, 0x009c, 0x002f]) {
    assert(/^alert|closed/.test(await sayHello(port!, 0x0303, [cipher])), cipher.toString(16));
  }
  assert(/^alert|closed/.test(await sayHello(port!, 0x0302, [0xc009])));
  assertEquals(await sayHello(port!, 0x0303, [0xc02b]), "hello");
});
