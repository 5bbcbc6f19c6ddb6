import { test } from "node:test";
import { assertEquals } from "@std/assert";
import type { PartnerRecord } from "@sabika/service/partners";
import { refuse } from "@sabika/protocol";
import type { CallSoFar } from "../call/findings.ts";
import { DIAGNOSIS_LIMIT, explainRefusals } from "./explain_refusals.ts";

/** A probe whose timestamp is in milliseconds, which is seen without verifying anything. */
function probeOf(partnerId: number): CallSoFar {
  const call: Partial<CallSoFar> = {
    method: "POST",
    target: "/v1/signed-probe",
    body: new Uint8Array(),
    partner: { partnerId, signingKeys: [] as PartnerRecord["signingKeys"] } as PartnerRecord,
    header: (name) => name === "x-timestamp" ? "1795167000000" : undefined,
  };
  return call as CallSoFar;
}

test("explainRefusals() explains as many refusals as people need, but not a flood of them", async () => {
  let nowMs = 0;
  const diagnose = explainRefusals("https://sabika.test", () => nowMs, () => Promise.resolve([]));
  const refusal = refuse("timestamp_invalid");
  const isExplained = async (partnerId: number) => {
    const refused = await diagnose(probeOf(partnerId), refusal);
    const { ok, code, diagnosis, retryAfterSeconds, detail } = refused;
    assertEquals([ok, code], [false, "timestamp_invalid"]);
    assertEquals(retryAfterSeconds, diagnosis === undefined ? 1 : undefined);
    assertEquals(detail?.includes("no diagnosis") ?? false, diagnosis === undefined);
    return diagnosis !== undefined;
  };
  for (let i = 0; i < DIAGNOSIS_LIMIT.burst; i++) assertEquals(await isExplained(1), true);
  assertEquals(await isExplained(1), false);
  assertEquals(await isExplained(2), true);
  nowMs = 1_000 / DIAGNOSIS_LIMIT.perSecond;
  assertEquals([await isExplained(1), await isExplained(1)], [true, false]);
});
