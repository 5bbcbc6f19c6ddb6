import { encryptKit, isRecipient, type Kit, type KitFile, PASSPHRASE } from "@sabika/identity/keys";
import { refuse } from "@sabika/protocol";
import type { AdminOutcome } from "@sabika/terms";
import type { Admitted } from "./admit_partner.ts";
import type { PartnerAdminContext } from "./partner_admin_context.ts";

/** The members of a kit that are no secret, and the address in its file. */
interface PublicKit extends Pick<Kit, "environment" | "clientId" | "signingKeyId"> {
  readonly baseUrl: string;
}

/** A partner just admitted, and its kit: in the clear, or in an encrypted file, which alone has its secrets. */
export type HandedOver =
  & Pick<Admitted, "partnerId" | "certificate">
  & ({ kit: Kit; file: null } | { kit: PublicKit; file: KitFile });

/** For whom a kit is encrypted, and the address in it. */
interface HandOver {
  readonly to: string;
  readonly baseUrl: string;
}

/**
 * Checks how a kit is to be handed over (Decision D100).
 *
 * @param to an age recipient, or `passphrase`; undefined: in the clear
 */
export async function readHandOver(
  { baseUrl }: Pick<PartnerAdminContext, "baseUrl">,
  to: string | undefined,
): Promise<AdminOutcome<HandOver | undefined>> {
  if (to === undefined) return { ok: true, value: undefined };
  if (to !== PASSPHRASE && !await isRecipient(to)) {
    return refuse("invalid_recipient", "this is no age recipient (age1…): a character is wrong");
  }
  return baseUrl === undefined
    ? refuse(
      "invalid_setting",
      "the address that partners call is not known, and the kit has to have it: set SABIKA_BASE_URL",
    )
    : { ok: true, value: { to, baseUrl } };
}

/** Puts the kit of a partner just admitted into a file, if it is to be encrypted. */
export async function handOver(
  { now, random }: Pick<PartnerAdminContext, "now" | "random">,
  { partnerId, certificate, kit }: Admitted,
  how: HandOver | undefined,
): Promise<HandedOver> {
  if (how === undefined) return { partnerId, certificate, kit, file: null };
  const { environment, clientId, signingKeyId } = kit;
  const { baseUrl } = how;
  const file = await encryptKit(kit, { ...how, nowMs: now(), random });
  return { partnerId, certificate, kit: { environment, clientId, signingKeyId, baseUrl }, file };
}
