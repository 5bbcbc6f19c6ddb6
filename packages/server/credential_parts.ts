import type { Secrets } from "@sabika/identity/secrets";
import { revokeToken, type TokenToRevoke } from "@sabika/identity/tokens";
import { createCredentialRequests } from "@sabika/service/credentials";
import {
  matchesClientSecret,
  type PartnerRecord,
  readCertificateKeys,
  type Register,
} from "@sabika/service/partners";
import type { Trading } from "@sabika/service/trading";
import type { ServiceDatabases } from "./open_databases.ts";

/** What is asked and written about credentials, in control. */
export function credentialParts(
  { databases, secrets, random, onCredentialRequest }: {
    readonly databases: ServiceDatabases;
    readonly secrets: Secrets;
    readonly random: (length: number) => Uint8Array;
    readonly onCredentialRequest: ((requestId: string) => Promise<void>) | undefined;
  },
  register: Register,
  trading: Trading,
) {
  const { sql } = databases.trading;
  return {
    credentialRequests: createCredentialRequests({
      database: databases.trading,
      reading: databases.reading,
      cell: trading,
      random,
      onRequest: onCredentialRequest,
    }),
    matchesClientSecret: (partner: PartnerRecord | undefined, secret: string, nowMs: number) =>
      matchesClientSecret(secrets, partner?.clientSecrets, secret, nowMs),
    certificateKeys: (partnerId: number) => readCertificateKeys(sql, partnerId),
    revokeToken: async (token: TokenToRevoke) => {
      await revokeToken(sql, token);
      await register.refresh();
    },
  };
}
