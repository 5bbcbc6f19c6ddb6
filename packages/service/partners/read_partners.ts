import { encodeHex, parseScopes } from "@sabika/protocol";
import { eq, gt, inArray, type SQL } from "drizzle-orm";
import { drizzle, type Sql } from "@sabika/database";
import { ES256 } from "@sabika/identity/keys";
import { TERM_ENTRIES, type TermKey, type Validity } from "@sabika/terms";
import { DEFAULT_RATE_LIMITS, type PartnerRecord } from "./records.ts";
import {
  certificates,
  clientSecrets,
  partners,
  signingKeys,
  sourceAddresses,
  webhookSecrets,
} from "./tables.ts";

/**
 * Reads the partners that changed after a revision of the register, whole and from one snapshot.
 *
 * @param afterRevision −1 for all partners
 */
export function readPartners(sql: Sql, afterRevision: bigint): Promise<PartnerRecord[]> {
  return read(sql, gt(partners.revision, afterRevision));
}

/** Reads one partner; undefined when there is none with this client id. */
export async function findPartner(sql: Sql, clientId: string): Promise<PartnerRecord | undefined> {
  return (await read(sql, eq(partners.clientId, clientId)))[0];
}

async function read(sql: Sql, which: SQL): Promise<PartnerRecord[]> {
  const { rows, ...revision } = await readRows(sql, which);
  return await Promise.all(rows.map(async (row) => ({
    partnerId: row.partnerId,
    clientId: row.clientId,
    name: row.name,
    status: row.status,
    settlementIban: row.settlementIban,
    webhookUrl: row.webhookUrl,
    cellId: row.cellId,
    addresses: revision.addresses(row).map(({ cidr }) => cidr),
    certificates: revision.certificates(row).map((certificate) => ({
      hashHex: encodeHex(certificate.hash),
      serial: certificate.serial,
      validFromMs: certificate.validFrom,
      validUntilMs: certificate.validUntil,
      revokedAtMs: certificate.revokedAt,
      tokenAuth: certificate.tokenAuth,
      scopes: parseScopes(certificate.scope) ?? [],
    })),
    clientSecrets: revision.secrets(row).map((secret) => ({
      secretId: secret.secretId,
      hash: secret.secretHash,
      ...validity(secret),
    })),
    signingKeys: await Promise.all(
      revision.keys(row).map(async ({ keyId, publicJwk, ...key }) => ({
        keyId,
        publicKey: await crypto.subtle.importKey("jwk", { ...publicJwk }, ES256, true, ["verify"]),
        ...validity(key),
      })),
    ),
    webhookSecrets: revision.webhookSecrets(row).map(({ secretId, ...secret }) => ({
      secretId,
      ...validity(secret),
    })),
    settings: {
      ...termsOf(row),
      taxes: row.taxes,
      disclosesSpread: row.disclosesSpread === true,
      rateLimits: { ...DEFAULT_RATE_LIMITS, ...row.rateLimits },
    },
  })));
}

function termsOf(row: Pick<typeof partners.$inferSelect, TermKey>) {
  return Object.fromEntries(TERM_ENTRIES.map(([key]) => [key, row[key]])) as typeof row;
}

function readRows(sql: Sql, which: SQL) {
  return sql.begin("isolation level repeatable read, read only", async (sql) => {
    const db = drizzle(sql);
    const ids = db.select({ partnerId: partners.partnerId }).from(partners).where(which);
    const { certificateHash: hash, serial, validFrom, validUntil, revokedAt } = certificates;
    const { partnerId, tokenAuth, scope } = certificates;
    const columns = { partnerId, hash, serial, validFrom, validUntil, revokedAt, tokenAuth, scope };
    const [rows, addresses, ownCertificates, secrets, keys, forWebhooks] = await Promise.all([
      db.select().from(partners).where(which).orderBy(partners.partnerId),
      db.select().from(sourceAddresses).where(inArray(sourceAddresses.partnerId, ids))
        .orderBy(sourceAddresses.cidr),
      db.select(columns).from(certificates)
        .where(inArray(partnerId, ids)).orderBy(validFrom, serial),
      db.select().from(clientSecrets).where(inArray(clientSecrets.partnerId, ids))
        .orderBy(clientSecrets.validFrom, clientSecrets.secretId),
      db.select().from(signingKeys).where(inArray(signingKeys.partnerId, ids))
        .orderBy(signingKeys.validFrom, signingKeys.keyId),
      db.select({
        partnerId: webhookSecrets.partnerId,
        secretId: webhookSecrets.secretId,
        validFrom: webhookSecrets.validFrom,
        validUntil: webhookSecrets.validUntil,
      }).from(webhookSecrets).where(inArray(webhookSecrets.partnerId, ids))
        .orderBy(webhookSecrets.validFrom, webhookSecrets.secretId),
    ]);
    return {
      rows,
      addresses: byPartner(addresses),
      certificates: byPartner(ownCertificates),
      secrets: byPartner(secrets),
      keys: byPartner(keys),
      webhookSecrets: byPartner(forWebhooks),
    };
  });
}

interface OfPartner {
  partnerId: number;
}

/** Groups rows by partner, each group in its order. */
function byPartner<Row extends OfPartner>(rows: Row[]): (partner: OfPartner) => Row[] {
  const groups = new Map<number, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.partnerId);
    if (group === undefined) groups.set(row.partnerId, [row]);
    else group.push(row);
  }
  return ({ partnerId }) => groups.get(partnerId) ?? [];
}

function validity(row: { validFrom: number; validUntil: number | null }): Validity {
  return { validFromMs: row.validFrom, validUntilMs: row.validUntil };
}
