import { test } from "node:test";
import { assertEquals } from "@std/assert";
import {
  SAMPLE_FUNDING,
  SAMPLE_ORDER,
  SAMPLE_WITHDRAWAL,
  TIME_MS,
  UUID,
} from "../../test/support/resource_samples.ts";
import {
  eventFromJson,
  eventToJson,
  EXPIRING_CREDENTIAL,
  FUNDING,
  ORDER,
  parseJson,
  type PartnerEvent,
  PING_OBJECT_JSON,
  WITHDRAWAL,
} from "./mod.ts";

const EVENT: PartnerEvent = {
  id: `evt_${UUID}`,
  type: "ping",
  environment: "sandbox",
  sequence: 1,
  timestampMs: TIME_MS,
  objectJson: PING_OBJECT_JSON,
};
const ENVELOPE = {
  id: EVENT.id,
  environment: EVENT.environment,
  sequence: 1,
  timestampMs: TIME_MS,
};
const CREDENTIAL = {
  kind: "certificate",
  credentialId: "ab",
  expiresAtMs: TIME_MS,
  daysLeft: 30,
} as const;
const EVENTS = [
  ["order.executed", ORDER.write(SAMPLE_ORDER), SAMPLE_ORDER],
  ["funding.completed", FUNDING.write(SAMPLE_FUNDING), SAMPLE_FUNDING],
  ["withdrawal.created", WITHDRAWAL.write(SAMPLE_WITHDRAWAL), SAMPLE_WITHDRAWAL],
  ["withdrawal.completed", WITHDRAWAL.write(SAMPLE_WITHDRAWAL), SAMPLE_WITHDRAWAL],
  ["withdrawal.failed", WITHDRAWAL.write(SAMPLE_WITHDRAWAL), SAMPLE_WITHDRAWAL],
  ["withdrawal.cancelled", WITHDRAWAL.write(SAMPLE_WITHDRAWAL), SAMPLE_WITHDRAWAL],
  ["credential.expiring", EXPIRING_CREDENTIAL.write(CREDENTIAL), CREDENTIAL],
  ["ping", PING_OBJECT_JSON, null],
] as const;
for (const [type, objectJson, object] of EVENTS) {
  test(`eventFromJson() reads ${type} with its object`, () => {
    const json = eventToJson({ ...EVENT, type, objectJson });
    const received: unknown = eventFromJson(parseJson(json));
    assertEquals(received, { ...ENVELOPE, type, object });
    assertEquals(JSON.parse(JSON.stringify(received)), JSON.parse(json));
  });
}

test("eventFromJson() reads the state of a delivery", () => {
  const delivery = {
    status: "pending",
    attempts: 2,
    nextAttemptAtMs: TIME_MS,
    deliveredAtMs: null,
  } as const;
  assertEquals(eventFromJson(parseJson(eventToJson({ ...EVENT, delivery }))).delivery, delivery);
});

test("eventFromJson() returns an event of a newer service as unknown", () => {
  const json = eventToJson(EVENT).replace('"ping"', '"gold.moved"').replace("{}", '"x"');
  const received: unknown = eventFromJson(parseJson(json));
  assertEquals(received, { ...ENVELOPE, type: "unknown", name: "gold.moved", object: "x" });
});
