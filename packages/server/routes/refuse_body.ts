import type { Trading } from "@sabika/service/trading";
import { type Refusal, refuse } from "@sabika/protocol";
import type { KeyedCall, Signed } from "../call/findings.ts";

/** What is needed to refuse a body in the order of Decision D26. */
export type BodyRefusalStore = Pick<Trading, "spendNonce" | "findIdempotencyKey">;

/**
 * Refuses a body in the order of checks: nonce → idempotency → body. So a signed request with a bad body
 * still spends its nonce, and a key that is taken is reported first: only valid bodies take keys, so a bad
 * body always differs. Valid bodies do not come here: they spend their nonce in the write's transaction.
 */
export async function refuseBody(
  store: BodyRefusalStore,
  call: KeyedCall & Partial<Signed>,
  refusal: Refusal,
): Promise<Refusal> {
  const { partnerId } = call.partner;
  if (call.signed !== undefined) {
    const { nonce: value, timestampSeconds } = call.signed;
    if (!await store.spendNonce({ partnerId, value, timestampSeconds })) {
      return refuse("nonce_reused");
    }
  }
  const { idempotencyKey } = call;
  const taken = await store.findIdempotencyKey({ partnerId, idempotencyKey });
  return taken === undefined
    ? refusal
    : refuse("idempotency_key_conflict", { meta: { resource_id: taken.resourceId } });
}
