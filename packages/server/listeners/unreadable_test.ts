import { test } from "node:test";
import { once } from "node:events";
import type { Server } from "node:http";
import { createServer } from "node:https";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { assertEquals } from "@std/assert";
import { listen } from "../../../test/support/listen.ts";
import { createTestAuthority } from "../../../test/support/test_certificates.ts";
import { answerParseErrors } from "./unreadable.ts";

test("a handshake that takes too long is no malformed request, even if it completes later", async () => {
  const authority = await createTestAuthority();
  const { certificatePem, privateKeyPem } = await authority.issue({ dns: ["localhost"] });
  const tls = { cert: certificatePem, key: privateKeyPem, handshakeTimeout: 100 };
  const server = createServer(tls, (_request, response) => void response.end("well"));
  const refused: unknown[] = [];
  answerParseErrors(server as unknown as Server, {
    newRequestId: () => "req_of_the_test",
    onUnreadable: (_status, code) => void refused.push(code),
  });
  const slow = connect(await listen(server), "127.0.0.1");
  const ended = once(slow, "close");
  // If the server still has the connection, the handshake begins now, and its answer follows.
  await Promise.race([ended, pause(500)]);
  let answer = "";
  if (!slow.destroyed) {
    const secure = connectTls({
      socket: slow,
      servername: "localhost",
      ca: authority.certificatePem,
    });
    secure.on("data", (bytes) => answer += String(bytes)).on("error", () => {});
    await ended;
  }
  server.close();
  assertEquals(refused, []);
  assertEquals(answer.includes("malformed_request"), false, answer);
});
