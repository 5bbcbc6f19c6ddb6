import { isValidAt, type Register } from "@sabika/core/partners";
import { type Refusal, refuse } from "@sabika/protocol";
import type { Call, Check, Peer } from "../call.ts";
import { lookAtRegister, renewRegister } from "./fresh_register.ts";

/**
 * Certificate → partner. The register is asked on every request, so a certificate that is revoked
 * or ends is refused on connections that are already open (Decision D26; faults F58).
 *
 * @param options.evenIfStale lets a picture of the register that is too old do: for /health alone,
 * which has to answer when the database is away or this clock is off
 */
export function certificateCheck(
  register: Pick<Register, "byCertificate" | "isFresh" | "refresh">,
  now: () => number,
  { evenIfStale = false } = {},
): Check {
  return (call) => {
    if (call.peer === undefined) return refuse("client_certificate_required");
    const found = register.byCertificate(call.peer.certificateHash);
    // A partner that was admitted a moment ago is in the database before it is in the picture.
    if (found === undefined) return judgeAfter(lookAtRegister(register), call, call.peer);
    // An old picture of the register could still show a certificate that has been revoked.
    if (!evenIfStale && !register.isFresh(now())) {
      return judgeAfter(renewRegister(register, now), call, call.peer);
    }
    return judge(call, found);
  };

  async function judgeAfter(
    look: Promise<boolean>,
    call: Call,
    { certificateHash }: Peer,
  ): Promise<Refusal | undefined> {
    return await look || evenIfStale
      ? judge(call, register.byCertificate(certificateHash))
      : refuse("service_unavailable", { retryAfterSeconds: 1 });
  }

  function judge(
    call: Call,
    found: ReturnType<typeof register.byCertificate>,
  ): Refusal | undefined {
    if (found === undefined) return refuse("client_certificate_unknown");
    const { partner, certificate } = found;
    // Revoked is revoked: the moment is the operator's clock, which may be ahead of this one.
    // Where a stale picture does, a clock that is off must do too; TLS has looked at the period.
    const isValid = evenIfStale || isValidAt(certificate, now());
    if (!isValid || certificate.revokedAtMs !== null) {
      return refuse("client_certificate_unknown");
    }
    call.partner = partner;
    call.certificate = certificate;
    return partner.status === "suspended" ? refuse("partner_suspended") : undefined;
  }
}
