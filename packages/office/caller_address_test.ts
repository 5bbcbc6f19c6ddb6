import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { callerAddress, readTrustedProxies } from "./caller_address.ts";

test("the caller is the last forwarded address that is no trusted proxy's", () => {
  const trusted = readTrustedProxies("127.0.0.1, 10.0.0.0/8,fd00::/8")!;
  const cases = [
    ["192.0.2.7", "203.0.113.9", "192.0.2.7"],
    ["127.0.0.1", undefined, "127.0.0.1"],
    ["127.0.0.1", "203.0.113.9", "203.0.113.9"],
    ["::ffff:127.0.0.1", "::ffff:203.0.113.9", "203.0.113.9"],
    ["127.0.0.1", "1.2.3.4, 203.0.113.9, 10.1.2.3", "203.0.113.9"],
    ["127.0.0.1", "203.0.113.9, fd00::1", "203.0.113.9"],
    ["127.0.0.1", "203.0.113.9, forged", "127.0.0.1"],
    ["unix", "203.0.113.9", "unix"],
  ] as const;
  for (const [peer, header, caller] of cases) {
    assertEquals(callerAddress(peer, header, trusted), caller, `${peer} ${header}`);
  }
  assertEquals(callerAddress("unix", "203.0.113.9", readTrustedProxies("unix")!), "203.0.113.9");
});

test("trusted proxies are addresses and ranges, or the Unix socket's peer", () => {
  for (const wrong of ["", "proxy", "10.0.0.0/33", "10.0.0.0/8/8", "10.0.0.0/x", "127.0.0.1,,"]) {
    assertEquals(readTrustedProxies(wrong), undefined, wrong);
  }
});
