import { allowsAddress } from "@sabika/terms/addresses";
import { refuse } from "@sabika/protocol";
import type { AdmittedCall, CertifiedCall } from "../call/findings.ts";
import type { Checked } from "./door.ts";

/** The caller's address must be one that the partner registered; none registered means any. */
export function sourceAddress(call: CertifiedCall): Checked<AdmittedCall> {
  const { partner: { addresses }, peer: { address } } = call;
  return addresses.length === 0 || allowsAddress(addresses, address)
    ? Object.assign(call, { sourceAddress: address })
    : refuse("ip_not_allowed");
}
