import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { openNameServer, TYPE_A, TYPE_AAAA } from "../../test/support/name_server.ts";
import { resolveHost } from "./resolve_host.ts";

test("a host's addresses of both families come from the DNS", async (t) => {
  const names = await openNameServer(() => [192, 0, 2, 7]);
  t.after(() => names.close());
  const found = await resolveHost("hook.example.com", { servers: [names.server] });
  assertEquals(found, [{ address: "192.0.2.7", family: 4 }]);
  assertEquals(names.queried.get("hook.example.com"), new Set([TYPE_A, TYPE_AAAA]));
});

test("a name server that does not answer times out and blocks no thread meanwhile", async (t) => {
  const { server, close } = await openNameServer(() => undefined);
  t.after(() => close());
  const hanging = Array.from({ length: 16 }, (_, n) =>
    assertRejects(
      () => resolveHost(`hook-${n}.example.com`, { servers: [server], timeoutMs: 300 }),
      Error,
    ));
  // This work is done by the threads that getaddrinfo would block.
  await crypto.subtle.digest("SHA-256", new Uint8Array(8));
  await Promise.all(hanging);
});
