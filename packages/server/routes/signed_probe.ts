import { encodeUtf8, refuse, sha256Hex, SIGNED_PROBE } from "@sabika/protocol";
import type { SignedCall } from "../call/findings.ts";
import { json } from "../call/reply.ts";
import type { BodyRefusalStore } from "./refuse_body.ts";
import type { Route } from "./route.ts";

/**
 * POST /v1/signed-probe: all checks of a signed request, without moving money (Decision D15). Refusals of
 * the door are explained by `explainRefusals`.
 */
export function signedProbeRoute(store: Pick<BodyRefusalStore, "spendNonce">): Route<SignedCall> {
  return async ({ partner: { partnerId }, signed, verified, receivedAtMs, skewSeconds }) => {
    const { nonce, timestampSeconds } = signed;
    if (!await store.spendNonce({ partnerId, value: nonce, timestampSeconds })) {
      return refuse("nonce_reused");
    }
    return json(SIGNED_PROBE.write({
      keyId: verified.keyId,
      urlForm: verified.urlForm,
      canonicalSha256: await sha256Hex(encodeUtf8(verified.canonical)),
      serverTimeMs: receivedAtMs,
      skewSeconds,
    }));
  };
}
