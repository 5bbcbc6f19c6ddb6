import type { Register } from "@sabika/service/partners";
import { isValidAt } from "@sabika/terms";
import { refuse } from "@sabika/protocol";
import type { CertifiedCall } from "../call/findings.ts";
import type { Peer } from "../call/peer.ts";
import type { ReceivedCall } from "../call/received_call.ts";
import type { Check, Checked } from "./door.ts";
import { renewRegister, withinPatience } from "./fresh_register.ts";

/** For whoever holds the key of a certificate that the operator issued. */
const ENDED = "This client certificate has ended: it was replaced or revoked, or its time is over.";

/** For partners whose register cannot be read, or was read too long ago (Decision D116). */
const UNREADABLE =
  "Nothing was carried out: whether your certificate is still good cannot be found out now.";

/**
 * Finds the partner of the client's certificate. The register is asked on every request, so a certificate
 * that is revoked or expires is refused on connections that are already open (Decision D26; F58).
 *
 * @param now epoch milliseconds
 * @param options.evenIfStale accepts a snapshot of the register that is too old; only for /health, which
 * must answer when the database is away or this clock is off
 */
export function certificateCheck(
  register: Pick<Register, "byCertificate" | "isFresh" | "refresh">,
  now: () => number,
  { evenIfStale = false } = {},
): Check<ReceivedCall, CertifiedCall> {
  return (call) => {
    if (call.peer === undefined) return refuse("client_certificate_required");
    const { peer } = call;
    const found = register.byCertificate(peer.certificateHash);
    if (found !== undefined && (evenIfStale || register.isFresh(now(), found.partner.cellId))) {
      return judge(call, peer, found);
    }
    // A partner admitted a moment ago is in the database before it is in the snapshot, and a stale
    // snapshot could still show a certificate that has been revoked.
    const renewal = found === undefined
      ? withinPatience(() => register.refresh())
      : renewRegister(register, now, found.partner.cellId);
    return renewal.then((isRenewed) =>
      isRenewed || evenIfStale
        ? judge(call, peer, register.byCertificate(peer.certificateHash))
        : refuse("service_unavailable", { detail: UNREADABLE, retryAfterSeconds: 1 })
    );
  };

  function judge(
    call: ReceivedCall,
    peer: Peer,
    found: ReturnType<Register["byCertificate"]>,
  ): Checked<CertifiedCall> {
    if (found === undefined) return refuse("client_certificate_unknown");
    const { partner, certificate } = found;
    // Revoked is revoked: the operator's clock set that moment and may be ahead of this one. Where a
    // stale snapshot is accepted, so is a clock that is off; TLS has checked the period of validity.
    const isValid = evenIfStale || isValidAt(certificate, now());
    if (!isValid || certificate.revokedAtMs !== null) {
      return refuse("client_certificate_unknown", ENDED);
    }
    // Also for a suspended partner, so that the log names it.
    const certified = Object.assign(call, { peer, partner, certificate });
    return partner.status === "suspended" ? refuse("partner_suspended") : certified;
  }
}
