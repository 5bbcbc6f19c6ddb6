import { ES256 } from "@sabika/identity/keys";
import type { Secrets } from "@sabika/identity/secrets";
import { openTokenKeys, type SealedTokenKey } from "@sabika/identity/tokens";
import { type PublicJwk, publicJwk as toPublicJwk } from "@sabika/protocol";
import type { PartnerRecord, SigningKeyRecord } from "./records.ts";
import type { RegisterContents } from "./register.ts";

/** The contents of a register as they are kept on a disk (Decision D116). */
export interface StoredRegister
  extends Pick<RegisterContents, "asOfMs" | "revision" | "revokedTokens"> {
  readonly partners: readonly StoredPartner[];
  /** With their private keys sealed, as in control. */
  readonly tokenKeys: readonly SealedTokenKey[];
}

interface StoredPartner extends Omit<PartnerRecord, "signingKeys"> {
  readonly signingKeys: readonly StoredKey[];
}

interface StoredKey extends Omit<SigningKeyRecord, "publicKey"> {
  readonly publicJwk: PublicJwk;
}

/** Makes of a register's contents what can be kept; `tokenKeys` as control has them. */
export async function storeRegister(
  { asOfMs, revision, revokedTokens, partners }: RegisterContents,
  tokenKeys: readonly SealedTokenKey[],
): Promise<StoredRegister> {
  const stored = partners.map(async (partner) => ({
    ...partner,
    signingKeys: await Promise.all(partner.signingKeys.map(async ({ publicKey, ...key }) => ({
      ...key,
      publicJwk: await toPublicJwk(publicKey),
    }))),
  }));
  return { asOfMs, revision, revokedTokens, tokenKeys, partners: await Promise.all(stored) };
}

/** Opens what `storeRegister` made. @throws Error when a token key cannot be opened */
export async function openStoredRegister(
  stored: StoredRegister,
  secrets: Pick<Secrets, "open">,
): Promise<RegisterContents> {
  const partners = stored.partners.map(async (partner) => ({
    ...partner,
    signingKeys: await Promise.all(partner.signingKeys.map(async ({ publicJwk, ...key }) => ({
      ...key,
      publicKey: await crypto.subtle.importKey("jwk", { ...publicJwk }, ES256, true, ["verify"]),
    }))),
  }));
  return {
    ...stored,
    tokenKeys: await openTokenKeys(stored.tokenKeys, secrets),
    partners: await Promise.all(partners),
  };
}
