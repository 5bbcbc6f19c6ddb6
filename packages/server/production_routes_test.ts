import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { type AppParts, createApp } from "./app.ts";

/** How many handlers an application has for a request; nothing is asked of its parts for that. */
function handlersFor(environment: "sandbox" | "production", method: string, path: string): number {
  const parts = {
    environment,
    baseUrl: "https://sabika.test",
    reading: {},
    metrics: {},
    now: () => 0,
  };
  return createApp(parts as unknown as AppParts).router.match(method, path)[0].length;
}

test("production has no POST /sandbox/fund and otherwise the same routes (F51)", () => {
  assertEquals(handlersFor("sandbox", "POST", "/sandbox/fund"), 1);
  assertEquals(handlersFor("production", "POST", "/sandbox/fund"), 0);
  for (
    const [method, path] of [
      ["GET", "/health"],
      ["POST", "/oauth/token"],
      ["GET", "/v1/prices"],
      ["POST", "/v1/quotes"],
      ["POST", "/v1/orders"],
      ["POST", "/v1/withdrawals"],
      ["POST", "/v1/withdrawals/wd_1/cancel"],
      ["POST", "/v1/signed-probe"],
    ] as const
  ) assertEquals(handlersFor("production", method, path), 1, path);
});
