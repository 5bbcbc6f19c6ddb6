import { formatRate, parseRate } from "../amounts.ts";
import type { JsonValue } from "../json.ts";
import { jsonString, jsonStringOrNull } from "../json_text.ts";
import { ResourceReader, WireFormatError } from "../resource_reader.ts";
import { formatTime } from "../times.ts";
import { type Environment, ENVIRONMENTS } from "./environment.ts";
import { CREDENTIAL_KINDS, type CredentialKind } from "./event.ts";

export const PARTNER_STATUSES = ["active", "suspended"] as const;
export type PartnerStatus = (typeof PARTNER_STATUSES)[number];

/** What names a credential, and how long it is valid; never the credential itself. */
export interface CredentialSummary {
  readonly kind: CredentialKind;
  /** The certificate's hash, the key id, or the secret's id. */
  readonly credentialId: string;
  readonly validFromMs: number;
  readonly validUntilMs: number | null;
}

/** What the service knows about the caller: GET /v1/me (Decision D19). */
export interface Me {
  readonly clientId: string;
  readonly name: string;
  readonly environment: Environment;
  readonly status: PartnerStatus;
  readonly settlementIbanMasked: string;
  readonly webhookUrl: string | null;
  /** CIDR blocks that may call; empty when any may. */
  readonly addresses: readonly string[];
  readonly spreadPpm: bigint;
  readonly feePpm: bigint;
  readonly credentials: readonly CredentialSummary[];
}

/** The wire form of GET /v1/me. */
export function meToJson(me: Me): string {
  return `{"client_id":${jsonString(me.clientId)},"name":${jsonString(me.name)},` +
    `"environment":"${me.environment}","status":"${me.status}",` +
    `"settlement_iban_masked":${jsonString(me.settlementIbanMasked)},` +
    `"webhook_url":${jsonStringOrNull(me.webhookUrl)},` +
    `"addresses":[${me.addresses.map(jsonString).join(",")}],` +
    `"spread_rate":${formatRate(me.spreadPpm)},"fee_rate":${formatRate(me.feePpm)},` +
    `"credentials":[${me.credentials.map(credentialToJson).join(",")}]}`;
}

/** Reads what `meToJson` writes. Throws `WireFormatError`. */
export function meFromJson(value: JsonValue): Me {
  const reader = new ResourceReader(value, "me");
  return {
    clientId: reader.string("client_id"),
    name: reader.string("name"),
    environment: reader.oneOf("environment", ENVIRONMENTS),
    status: reader.oneOf("status", PARTNER_STATUSES),
    settlementIbanMasked: reader.string("settlement_iban_masked"),
    webhookUrl: reader.nullOr("webhook_url", (name) => reader.string(name)),
    addresses: reader.list("addresses", (item) => {
      if (typeof item === "string") return item;
      throw new WireFormatError("me: addresses holds something else than strings");
    }),
    spreadPpm: reader.amount("spread_rate", parseRate),
    feePpm: reader.amount("fee_rate", parseRate),
    credentials: reader.list("credentials", credentialFromJson),
  };
}

function credentialToJson(credential: CredentialSummary): string {
  const { validUntilMs } = credential;
  return `{"kind":"${credential.kind}","credential_id":${jsonString(credential.credentialId)},` +
    `"valid_from":"${formatTime(credential.validFromMs)}",` +
    `"valid_until":${validUntilMs === null ? "null" : `"${formatTime(validUntilMs)}"`}}`;
}

function credentialFromJson(value: JsonValue): CredentialSummary {
  const reader = new ResourceReader(value, "credential");
  return {
    kind: reader.oneOf("kind", CREDENTIAL_KINDS),
    credentialId: reader.string("credential_id"),
    validFromMs: reader.timeMs("valid_from"),
    validUntilMs: reader.nullOr("valid_until", (name) => reader.timeMs(name)),
  };
}
