import { decodeHex, type PublicJwk } from "@sabika/protocol";
import type { Sql } from "../store/database.ts";
import { ES256 } from "./certificates/p256.ts";
import {
  DEFAULT_RATE_LIMITS,
  type PartnerRecord,
  type RateClass,
  type RateLimit,
} from "./records.ts";

interface Span {
  from: number;
  until: number | null;
}

interface Row {
  partnerId: number;
  clientId: string;
  name: string;
  status: "active" | "suspended";
  settlementIban: string;
  webhookUrl: string | null;
  quoteMin: bigint;
  quoteMax: bigint;
  openQuotesLimit: number;
  spreadPpm: bigint;
  feePpm: bigint;
  vatPpm: bigint;
  rateLimits: Partial<Record<RateClass, RateLimit>>;
  addresses: string[];
  certificates: (Span & { hash: string; serial: string; until: number; revoked: number | null })[];
  secrets: (Span & { id: string; hash: string })[];
  keys: (Span & { id: string; jwk: PublicJwk })[];
}

/**
 * Reads the partners that changed after a revision of the register, whole, in one statement and so
 * from one snapshot.
 *
 * @param afterRevision −1 for all partners
 */
export async function readPartners(sql: Sql, afterRevision: bigint): Promise<PartnerRecord[]> {
  const span = sql`
    'from', extract(epoch from valid_from) * 1000, 'until', extract(epoch from valid_until) * 1000`;
  const rows = await sql<Row[]>`
    select partner_id as "partnerId", client_id as "clientId", name, status,
      settlement_iban as "settlementIban", webhook_url as "webhookUrl",
      quote_min_micrograms as "quoteMin", quote_max_micrograms as "quoteMax",
      open_quotes_limit as "openQuotesLimit", spread_ppm as "spreadPpm", fee_ppm as "feePpm",
      vat_ppm as "vatPpm", rate_limits as "rateLimits",
      array_to_json(array(
        select cidr from source_addresses a where a.partner_id = p.partner_id order by cidr
      )) as addresses,
      array_to_json(array(
        select json_build_object('hash', encode(certificate_hash, 'hex'), 'serial', serial,
          'revoked', extract(epoch from revoked_at) * 1000, ${span})
        from certificates c where c.partner_id = p.partner_id order by valid_from, serial
      )) as certificates,
      array_to_json(array(
        select json_build_object('id', secret_id, 'hash', encode(secret_hash, 'hex'), ${span})
        from client_secrets s where s.partner_id = p.partner_id order by valid_from, secret_id
      )) as secrets,
      array_to_json(array(
        select json_build_object('id', key_id, 'jwk', public_jwk, ${span})
        from signing_keys k where k.partner_id = p.partner_id order by valid_from, key_id
      )) as keys
    from partners p where revision > ${afterRevision} order by partner_id`;
  return await Promise.all(rows.map(toRecord));
}

async function toRecord(row: Row): Promise<PartnerRecord> {
  const span = ({ from, until }: Span) => ({
    validFromMs: Math.round(from),
    validUntilMs: until === null ? null : Math.round(until),
  });
  return {
    partnerId: row.partnerId,
    clientId: row.clientId,
    name: row.name,
    status: row.status,
    settlementIban: row.settlementIban,
    webhookUrl: row.webhookUrl,
    addresses: row.addresses,
    certificates: row.certificates.map((certificate) => ({
      hashHex: certificate.hash,
      serial: certificate.serial,
      validFromMs: Math.round(certificate.from),
      validUntilMs: Math.round(certificate.until),
      revokedAtMs: certificate.revoked === null ? null : Math.round(certificate.revoked),
    })),
    clientSecrets: row.secrets.map((secret) => ({
      secretId: secret.id,
      hash: decodeHex(secret.hash)!,
      ...span(secret),
    })),
    signingKeys: await Promise.all(row.keys.map(async (key) => ({
      keyId: key.id,
      publicKey: await crypto.subtle.importKey("jwk", { ...key.jwk }, ES256, true, ["verify"]),
      ...span(key),
    }))),
    settings: {
      quoteMinMicrograms: row.quoteMin,
      quoteMaxMicrograms: row.quoteMax,
      openQuotesLimit: row.openQuotesLimit,
      spreadPpm: row.spreadPpm,
      feePpm: row.feePpm,
      vatPpm: row.vatPpm,
      rateLimits: { ...DEFAULT_RATE_LIMITS, ...row.rateLimits },
    },
  };
}
