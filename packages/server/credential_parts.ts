import type { Secrets } from "@sabika/identity/secrets";
import { revokeToken, type TokenToRevoke } from "@sabika/identity/tokens";
import {
  matchesClientSecret,
  type PartnerRecord,
  readCertificateKeys,
  type Register,
} from "@sabika/service/partners";
import type { ServiceDatabases } from "./open_databases.ts";

/** The queries about credentials that the door needs. */
export function credentialParts(
  { databases, secrets }: { readonly databases: ServiceDatabases; readonly secrets: Secrets },
  register: Register,
) {
  const { sql } = databases.trading;
  return {
    matchesClientSecret: (partner: PartnerRecord | undefined, secret: string, nowMs: number) =>
      matchesClientSecret(secrets, partner?.clientSecrets, secret, nowMs),
    certificateKeys: (partnerId: number) => readCertificateKeys(sql, partnerId),
    revokeToken: async (token: TokenToRevoke) => {
      await revokeToken(sql, token);
      await register.refresh();
    },
  };
}
