import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { isErrorCode, RETRYABLE, TITLE_OF } from "@sabika/protocol";
import { EDGE_REFUSALS } from "./local_replies.ts";

test("the sidecar's refusals have the protocol's codes, titles and retryable", () => {
  for (const refusal of Object.values(EDGE_REFUSALS)) {
    assert(isErrorCode(refusal.code), refusal.code);
    assertEquals(refusal.title, TITLE_OF[refusal.code]);
    assertEquals(refusal.retryable, RETRYABLE[refusal.code], refusal.code);
  }
});
