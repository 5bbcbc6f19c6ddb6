import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { each } from "../../../test/support/each.ts";
import { isPlainTarget } from "./plain_target.ts";

const PLAIN = each(`
  /health /v1/orders /v1/orders? /v1/orders?a=b&a=b&%zz /v1/orders/ord_019a
  /v1/statements/2026-11-20 /.well-known/jwks.json /v1/a..b`);

const REFUSED = each(String.raw`
  * / /v1/./orders /v1/../v1/orders /v1/..;/orders //v1/orders /v1//orders /v1/orders/
  /v1/orders;x /v1/orders;x=1 /v1/%6Frders /v1%2Forders /v1/orders%00 /v1\orders
  /v1/orders#x /v1/orders?a#x /v1/orders?é /v1/.hidden /.well-known
  http://127.0.0.1/v1/orders https://other.example/v1/orders`)
  .concat("", "/v1/orders?a b", "/v1/orders\n");

test("isPlainTarget() accepts plain segments with any query of visible ASCII", () => {
  for (const target of PLAIN) assertEquals(isPlainTarget(target), true, target);
});

test("isPlainTarget() refuses whatever a library on the way would rewrite", () => {
  for (const target of REFUSED) assertEquals(isPlainTarget(target), false, target);
});
