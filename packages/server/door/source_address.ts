import { allowsAddress } from "@sabika/core/partners";
import { type Refusal, refuse } from "@sabika/protocol";
import type { Call } from "../call.ts";

/** The caller's address must be one that the partner registered; none registered means any. */
export function sourceAddress(call: Call): Refusal | undefined {
  if (call.partner === undefined || call.peer === undefined) {
    throw new TypeError("the certificate check must come before the address check");
  }
  const { addresses } = call.partner;
  return addresses.length === 0 || allowsAddress(addresses, call.peer.address)
    ? undefined
    : refuse("ip_not_allowed");
}
