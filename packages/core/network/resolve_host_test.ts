import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { resolveHost } from "./resolve_host.ts";
import { openNameServer, TYPE_A, TYPE_AAAA } from "../../../test/support/name_server.ts";

test("a host's addresses are asked of the DNS, of both families", async () => {
  const names = await openNameServer(() => [192, 0, 2, 7]);
  try {
    const found = await resolveHost("hook.example.com", { servers: [names.server] });
    assertEquals(found, [{ address: "192.0.2.7", family: 4 }]);
    assertEquals(names.asked.get("hook.example.com"), new Set([TYPE_A, TYPE_AAAA]));
  } finally {
    names.close();
  }
});

test("a name server that says nothing is given up, and holds no thread meanwhile", async () => {
  const { server, close } = await openNameServer(() => undefined);
  try {
    const hanging = Array.from({ length: 16 }, (_, n) =>
      assertRejects(
        () => resolveHost(`hook-${n}.example.com`, { servers: [server], timeoutMs: 300 }),
        Error,
      ));
    // Done by the threads that getaddrinfo would hold.
    await crypto.subtle.digest("SHA-256", new Uint8Array(8));
    await Promise.all(hanging);
  } finally {
    close();
  }
});

test("localhost is this machine, whatever a name server would say", async () => {
  const addresses = (await resolveHost("localhost")).map(({ address }) => address);
  assertEquals(addresses, ["127.0.0.1", "::1"]);
});
