import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { isPlainTarget } from "./plain_target.ts";

const PLAIN = [
  "/health",
  "/v1/orders",
  "/v1/orders?",
  "/v1/orders?a=b&a=b&%zz",
  "/v1/orders/ord_019a",
  "/v1/statements/2026-11-20",
  "/.well-known/jwks.json",
  "/v1/a..b",
];

const REFUSED = [
  "",
  "*",
  "/",
  "/v1/./orders",
  "/v1/../v1/orders",
  "/v1/..;/orders",
  "//v1/orders",
  "/v1//orders",
  "/v1/orders/",
  "/v1/orders;x",
  "/v1/orders;x=1",
  "/v1/%6Frders",
  "/v1%2Forders",
  "/v1/orders%00",
  "/v1\\orders",
  "/v1/orders#x",
  "/v1/orders?a#x",
  "/v1/orders?a b",
  "/v1/orders?é",
  "http://127.0.0.1/v1/orders",
  "https://other.example/v1/orders",
  "/v1/.hidden",
  "/.well-known",
  "/v1/orders\n",
];

test("isPlainTarget() accepts plain segments with any query of visible ASCII", () => {
  for (const target of PLAIN) assertEquals(isPlainTarget(target), true, target);
});

test("isPlainTarget() refuses whatever a library on the way would rewrite", () => {
  for (const target of REFUSED) assertEquals(isPlainTarget(target), false, target);
});
