import { describe, test } from "node:test";
import { assertEquals } from "@std/assert";
import { keepConnections } from "./kept_connections.ts";
import { trustAuthorities } from "./post_webhook.ts";

const TRUST = trustAuthorities(undefined);
const SECOND = 1_000;

function open() {
  const clock = { ms: 0 };
  const closed: string[] = [];
  let opened = 0;
  const kept = keepConnections(({ addresses: [first] }) => {
    const name = `${++opened} to ${first!.address}`;
    return { post: () => Promise.reject(new Error(name)), close: () => void closed.push(name) };
  }, () => clock.ms);
  const take = (partnerId: number, ...addresses: string[]) =>
    kept.take(partnerId, {
      url: new URL("https://hook.example.com/"),
      hostname: "hook.example.com",
      addresses: (addresses.length === 0 ? ["192.0.2.1"] : addresses).map((address) => ({
        address,
        family: 4,
      })),
      trust: TRUST,
      timeoutMs: SECOND,
      maxSockets: 1,
    });
  return { kept, take, clock, closed };
}

describe("kept connections", () => {
  test("the next delivery to the same endpoint uses the same connection", () => {
    const { kept, take, closed } = open();
    const first = take(1);
    first.answered = 3;
    kept.give(1);
    assertEquals(take(1).answered, 3);
    assertEquals(take(2).answered, 0, "another partner's is another one");
    assertEquals(closed, []);
  });

  test("a connection to an address that the name no longer has is closed, not used", () => {
    const { kept, take, closed } = open();
    take(1);
    kept.give(1);
    take(1, "192.0.2.2");
    assertEquals(closed, ["1 to 192.0.2.1"]);
  });

  test("a connection is kept when the DNS answers the same addresses in another order", () => {
    const { kept, take, closed } = open();
    take(1, "192.0.2.1", "192.0.2.2");
    kept.give(1);
    take(1, "192.0.2.2", "192.0.2.1");
    assertEquals(closed, []);
  });

  test("a connection that was idle for ten seconds is closed, and one in use is not", () => {
    const { kept, take, clock, closed } = open();
    take(1);
    take(2);
    take(3);
    clock.ms = 5 * SECOND;
    kept.give(1);
    kept.give(2);
    take(2);
    clock.ms = 14 * SECOND;
    kept.sweep();
    assertEquals(closed, []);
    clock.ms = 15 * SECOND;
    kept.sweep();
    assertEquals(closed, ["1 to 192.0.2.1"]);
    kept.close();
    assertEquals(closed, ["1 to 192.0.2.1", "3 to 192.0.2.1", "2 to 192.0.2.1"]);
    kept.give(2);
    kept.close();
    assertEquals(closed.length, 3, "a visit that ends later gives back nothing");
  });

  test("of more than 512 connections those idle for longest are closed", () => {
    const { kept, take, closed } = open();
    for (let partnerId = 1; partnerId <= 514; partnerId++) take(partnerId);
    for (let partnerId = 514; partnerId >= 1; partnerId--) kept.give(partnerId);
    kept.sweep();
    assertEquals(closed, ["514 to 192.0.2.1", "513 to 192.0.2.1"]);
  });
});
