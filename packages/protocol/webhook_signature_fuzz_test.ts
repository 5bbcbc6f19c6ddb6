import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { fuzz } from "../../test/support/fuzz/fuzz.ts";
import { latin1 } from "../../test/support/fuzz/latin1.ts";
import { signWebhook, verifyWebhook } from "./webhook_signature.ts";

const SECRETS = [`whsec_${btoa("a".repeat(32))}`, `whsec_${btoa("b".repeat(32))}`];
const ID = "evt_01a1fcde-0f7a-75b5-b740-16b3d8089a5d";
const NOW_SECONDS = 1_795_167_000;
const BODY = `{"type":"ping"}`;
const signature = await signWebhook({
  secrets: SECRETS,
  id: ID,
  timestampSeconds: NOW_SECONDS,
  body: BODY,
});

test(
  "fuzz: the headers of a webhook are read correctly or refused",
  fuzz({
    samples: [
      `${ID}\n${NOW_SECONDS}\n${signature}`,
      `${ID}\n${NOW_SECONDS}\nv1,AAAA ${signature} v2,x`,
    ],
    words: [..."v1, v1a, , = 0 - . +".split(" "), "\n", " ", `${NOW_SECONDS + 1}`, signature],
    async judge(input) {
      const [id, timestamp, signatures] = latin1(input).split("\n");
      const headers = new Map<string, string | undefined>([
        ["webhook-id", id],
        ["webhook-timestamp", timestamp],
        ["webhook-signature", signatures],
      ]);
      const verification = await verifyWebhook({
        secrets: SECRETS,
        headers,
        body: BODY,
        nowSeconds: NOW_SECONDS,
      });
      if (!verification.ok) return verification.reason;
      assertEquals([id, timestamp], [ID, `${NOW_SECONDS}`], "accepted what was not signed");
      return "accepted";
    },
  }),
);
