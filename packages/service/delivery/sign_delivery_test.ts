import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { encodeUtf8, formatWebhookSecret, signWebhook } from "@sabika/protocol";
import { createDeliverySigner } from "./sign_delivery.ts";

test("createDeliverySigner() signs as the protocol does, with one secret or several", async () => {
  const secrets = [24, 32, 64].map((length) =>
    formatWebhookSecret(crypto.getRandomValues(new Uint8Array(length)))
  );
  for (let count = 0; count <= secrets.length; count++) {
    const webhook = {
      secrets: secrets.slice(0, count),
      id: "evt_0190",
      timestampSeconds: 1_795_000_000,
      body: encodeUtf8('{"name":"سبيكة"}'),
    };
    const sign = await createDeliverySigner(webhook.secrets);
    assertEquals(await sign(webhook), await signWebhook(webhook));
  }
});

test("createDeliverySigner() takes only secrets of the standard's form", async () => {
  for (const secret of ["", "whsec_", "whsec_?", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]) {
    await assertRejects(
      () => createDeliverySigner([secret]),
      TypeError,
      "a webhook secret must be whsec_ and base64",
    );
  }
});
