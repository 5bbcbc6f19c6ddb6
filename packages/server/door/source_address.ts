import { allowsAddress } from "@sabika/terms/addresses";
import { refuse } from "@sabika/protocol";
import type { AdmittedCall, CertifiedCall } from "../call/findings.ts";
import type { Checked } from "./door.ts";

/** Checks that the partner registered the caller's address, or that it registered none. */
export function sourceAddress(call: CertifiedCall): Checked<AdmittedCall> {
  const { partner: { addresses }, peer: { address } } = call;
  return allowsAddress(addresses, address)
    ? Object.assign(call, { sourceAddress: address })
    : refuse("ip_not_allowed");
}
