import type { CredentialKind } from "@sabika/protocol";
import type { Sql } from "@sabika/database";
import type { TokenAuth } from "@sabika/terms";

/** A credential as the operator sees it: never its secret. */
export interface CredentialEntry {
  partnerId: number;
  clientId: string;
  kind: CredentialKind;
  /** The certificate's SHA-256, the key's thumbprint, or the secret's id. */
  credentialId: string;
  /** Null unless it is a certificate. */
  serial: string | null;
  /** For a certificate: the scope of its tokens and how it gets them (Decision D76); otherwise null. */
  scope: string | null;
  tokenAuth: TokenAuth | null;
  validFromMs: number;
  validUntilMs: number | null;
  state: "active" | "ended" | "revoked";
}

/**
 * Lists credentials, of all partners or one, of all kinds or one, oldest first.
 *
 * @param nowMs the time that decides which have ended, epoch milliseconds
 */
export async function listCredentials(
  sql: Sql,
  nowMs: number,
  filter: { clientId?: string; kind?: CredentialKind } = {},
): Promise<CredentialEntry[]> {
  const { clientId = null, kind = null } = filter;
  const rows = await sql<(Omit<CredentialEntry, "state"> & { revoked: boolean })[]>`
    with credentials as (
      select partner_id, 'certificate' as kind, encode(certificate_hash, 'hex') as id, serial,
        valid_from, valid_until, revoked_at is not null as revoked, scope, token_auth
      from certificates
      union all
      select partner_id, 'client_secret', secret_id::text, null, valid_from, valid_until, false,
        null, null
      from client_secrets
      union all
      select partner_id, 'signing_key', key_id, null, valid_from, valid_until, false, null, null
      from signing_keys
      union all
      select partner_id, 'webhook_secret', secret_id::text, null, valid_from, valid_until, false,
        null, null
      from webhook_secrets
    )
    select partner_id as "partnerId", client_id as "clientId", kind, id as "credentialId", serial, scope,
      token_auth as "tokenAuth",
      (extract(epoch from valid_from) * 1000)::float8 as "validFromMs",
      (extract(epoch from valid_until) * 1000)::float8 as "validUntilMs", revoked
    from credentials join partners using (partner_id)
    where (${clientId}::text is null or client_id = ${clientId})
      and (${kind}::text is null or kind = ${kind})
    order by client_id, kind, valid_from, id`;
  return rows.map(({ revoked, ...row }) => ({
    ...row,
    validFromMs: Math.round(row.validFromMs),
    validUntilMs: row.validUntilMs === null ? null : Math.round(row.validUntilMs),
    state: revoked
      ? "revoked"
      : row.validUntilMs !== null && row.validUntilMs <= nowMs
      ? "ended"
      : "active",
  }));
}

/** A credential that ends earlier than this from now is ending. */
const ENDING_MS = 30 * 86_400_000;

/** Lists the credentials that are in force for 30 days at most, those that end first before the others. */
export async function listEndingCredentials(
  ...[sql, nowMs, filter]: Parameters<typeof listCredentials>
): Promise<CredentialEntry[]> {
  const all = await listCredentials(sql, nowMs, filter);
  return all.filter((found) =>
    found.state === "active" && (found.validUntilMs ?? Infinity) < nowMs + ENDING_MS
  ).sort((a, b) => a.validUntilMs! - b.validUntilMs!);
}
