import type { PartnerRecord } from "@sabika/service/partners";
import type { Reading } from "@sabika/service/trading";
import { type CredentialSummary, type Environment, maskIban, ME } from "@sabika/protocol";
import type { ReadCall } from "../call/findings.ts";
import { json } from "../call/reply.ts";
import type { Route } from "./route.ts";

/** GET /v1/me: what the service knows about the caller, and when its credentials end (Decision D19). */
export function meRoute(
  environment: Environment,
  reading: Pick<Reading, "webhookEndpoint">,
  now: () => number,
): Route<ReadCall> {
  return async ({ partner }) =>
    json(ME.write({
      clientId: partner.clientId,
      name: partner.name,
      environment,
      status: partner.status,
      settlementIbanMasked: maskIban(partner.settlementIban),
      webhookUrl: partner.webhookUrl,
      webhook: await reading.webhookEndpoint(partner),
      addresses: partner.addresses,
      spreadPpm: partner.settings.spreadPpm,
      feePpm: partner.settings.feePpm,
      credentials: credentialsOf(partner, now()),
    }));
}

/** The credentials that are valid now or later; never their secrets. */
function credentialsOf(partner: PartnerRecord, nowMs: number): CredentialSummary[] {
  const { certificates, clientSecrets, signingKeys, webhookSecrets } = partner;
  const all: CredentialSummary[] = [
    ...certificates.filter(({ revokedAtMs }) => revokedAtMs === null)
      .map((certificate) => summarise("certificate", certificate.hashHex, certificate)),
    ...clientSecrets.map((secret) => summarise("client_secret", secret.secretId, secret)),
    ...signingKeys.map((key) => summarise("signing_key", key.keyId, key)),
    ...webhookSecrets.map((secret) => summarise("webhook_secret", secret.secretId, secret)),
  ];
  return all.filter(({ validUntilMs }) => validUntilMs === null || validUntilMs > nowMs);
}

function summarise(
  kind: CredentialSummary["kind"],
  credentialId: string,
  { validFromMs, validUntilMs }: Pick<CredentialSummary, "validFromMs" | "validUntilMs">,
): CredentialSummary {
  return { kind, credentialId, validFromMs, validUntilMs };
}
