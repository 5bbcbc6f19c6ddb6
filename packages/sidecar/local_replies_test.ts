import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { isErrorCode, RETRYABLE, TITLE_OF } from "@sabika/protocol";
import { EDGE_REFUSALS } from "./local_replies.ts";

test("the sidecar's refusals have the protocol's codes, titles and retryable", () => {
  for (const [code, { title, retryable }] of Object.entries(EDGE_REFUSALS)) {
    assert(isErrorCode(code), code);
    assertEquals([code, title, retryable], [code, TITLE_OF[code], RETRYABLE[code]]);
  }
});
