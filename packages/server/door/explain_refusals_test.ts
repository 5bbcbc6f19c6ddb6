import { test } from "node:test";
import { assertEquals } from "@std/assert";
import type { PartnerRecord } from "@sabika/service/partners";
import { encodeUtf8, type ErrorCode, refuse, signRequest } from "@sabika/protocol";
import { makeKeys } from "../../../test/support/test_keys.ts";
import type { CallSoFar } from "../call/findings.ts";
import { DIAGNOSIS_LIMIT, explainRefusals } from "./explain_refusals.ts";

/** A probe whose timestamp is in milliseconds, which is seen without verifying anything; or another call. */
function probeOf(partnerId: number, changes: Partial<CallSoFar> = {}): CallSoFar {
  const call: Partial<CallSoFar> = {
    method: "POST",
    target: "/v1/signed-probe",
    body: new Uint8Array(),
    partner: { partnerId, signingKeys: [] as PartnerRecord["signingKeys"] } as PartnerRecord,
    header: (name) => name === "x-timestamp" ? "1795167000000" : undefined,
    ...changes,
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

test("explainRefusals() explains only what is about the signature of a known partner's whole request", async () => {
  const diagnose = explainRefusals("https://sabika.test", () => 0, () => Promise.resolve([]));
  const other = refuse("rate_limited");
  assertEquals(await diagnose(probeOf(1), other), other);
  const refusal = refuse("signature_missing");
  for (const unknown of [{ partner: undefined }, { body: undefined }]) {
    assertEquals(await diagnose(probeOf(1, unknown), refusal), refusal);
  }
  // The detail stays, unless it is the one that leads to the probe.
  const detailOf = async (code: ErrorCode) => {
    const { detail, diagnosis } = await diagnose(probeOf(1), refuse(code, "The detail."));
    return [detail, diagnosis?.form];
  };
  assertEquals(await detailOf("signature_missing"), ["The detail.", "timestamp_milliseconds"]);
  const there = "The signature does not fit the request. See diagnosis.";
  assertEquals(await detailOf("signature_invalid"), [there, "timestamp_milliseconds"]);
});

test("explainRefusals() tries the Host header if that is a host, and other headers as the nonce", async () => {
  const diagnose = explainRefusals("https://sabika.test", () => 0, () => Promise.resolve([]));
  const { privateKey, publicKey } = await makeKeys();
  const key = { keyId: "s1", publicKey, validFromMs: 0, validUntilMs: null };
  const partner = { partnerId: 1, signingKeys: [key] as unknown as PartnerRecord["signingKeys"] };
  const nonce = "n".repeat(16);
  const formOf = async (
    { host = "sabika.test", signedNonce = nonce, more = {} }: {
      host?: string;
      signedNonce?: string;
      more?: Record<string, string>;
    },
  ) => {
    const signed = await signRequest({
      method: "POST",
      url: `https://${host}/v1/signed-probe`,
      body: encodeUtf8("{}"),
      timestampSeconds: 1_795_167_000,
      nonce: signedNonce,
      privateKey,
    });
    const headers: Record<string, string> = { ...signed, "x-nonce": nonce, host, ...more };
    const call = probeOf(1, {
      body: encodeUtf8("{}"),
      partner: partner as PartnerRecord,
      header: (name) => headers[name],
    });
    return (await diagnose(call, refuse("signature_invalid"))).diagnosis?.form;
  };
  for (const host of ["edge.internal", "10.0.0.1:8443"]) {
    assertEquals(await formOf({ host }), "url_host", host);
  }
  for (const host of ["edge internal", "edge.internal:80/a", "edge.internal:port"]) {
    assertEquals(await formOf({ host }), "unregistered_key_or_nonce", host);
  }
  for (const name of ["idempotency-key", "x-request-id"]) {
    const signedNonce = `${name}-of-${name}`;
    assertEquals(await formOf({ signedNonce, more: { [name]: signedNonce } }), "nonce_other", name);
  }
});
