import { formatTime } from "@sabika/protocol";
import type { AnySql, Sql } from "@sabika/database";

/** An access token to be revoked before its end. */
export interface TokenToRevoke {
  readonly partnerId: number;
  /** Its `jti`, a UUID. */
  readonly tokenId: string;
  readonly validUntilMs: number;
}

/** Revokes a token: every instance refuses it from the register's next poll on (RFC 7009). */
export async function revokeToken(sql: AnySql, token: TokenToRevoke): Promise<void> {
  const { partnerId, tokenId, validUntilMs } = token;
  await sql`select revoke_token(${partnerId}::integer, ${tokenId}::uuid,
    ${formatTime(validUntilMs)}::timestamptz)`;
}

/** The tokens revoked after a revision of the register, by their `jti`, and when they would end. */
export async function readRevokedTokens(
  sql: Sql,
  afterRevision: bigint,
): Promise<{ tokenId: string; validUntilMs: number }[]> {
  return await sql<{ tokenId: string; validUntilMs: number }[]>`
    select token_id as "tokenId", (extract(epoch from valid_until) * 1000)::float8 as "validUntilMs"
    from revoked_tokens where revision > ${String(afterRevision)}::bigint`;
}
