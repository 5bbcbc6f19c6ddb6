import type { Trading } from "@sabika/core/trading";
import { type Refusal, refuse } from "@sabika/protocol";
import type { CertifiedCall } from "../call.ts";

/** What is needed to refuse a body in the order of Decision D26. */
export type BodyRefusalStore = Pick<Trading, "spendNonce" | "findIdempotencyKey">;

/**
 * Refuses a body as the order of checks wants it: nonce → idempotency → body. So a signed request
 * whose body is bad has its nonce spent all the same, and a key that is taken says so first. (What
 * a key stands for was once a good body, so a bad one can only be another one.)
 *
 * Good bodies do not come here: they spend their nonce in the transaction of the order itself.
 */
export async function refuseBody(
  store: BodyRefusalStore,
  call: CertifiedCall,
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
