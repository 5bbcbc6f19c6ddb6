import { encodeUtf8, probeToJson, refuse, sha256Hex, skewSeconds } from "@sabika/protocol";
import { json } from "../reply.ts";
import type { BodyRefusalStore } from "./refuse_body.ts";
import type { SignedRoute } from "./route.ts";

/**
 * POST /v1/signed-probe: the whole signature pipeline, without moving money (Decision D15). What
 * went wrong before this point is diagnosed by `diagnosing`.
 */
export function signedProbeRoute(store: Pick<BodyRefusalStore, "spendNonce">): SignedRoute {
  return async ({ partner: { partnerId }, signed, verified, receivedAtMs }) => {
    const { nonce, timestampSeconds } = signed;
    if (!await store.spendNonce({ partnerId, value: nonce, timestampSeconds })) {
      return refuse("nonce_reused");
    }
    return json(probeToJson({
      keyId: verified.keyId,
      urlForm: verified.urlForm,
      canonicalSha256: await sha256Hex(encodeUtf8(verified.canonical)),
      serverTimeMs: receivedAtMs,
      skewSeconds: skewSeconds(timestampSeconds, receivedAtMs),
    }));
  };
}
