import type { Context } from "hono";
import { and, eq } from "drizzle-orm";
import type { PostgresJsDatabase } from "drizzle-orm/postgres-js";
import { decodeProtectedHeader, importJWK, type JWK, jwtVerify } from "jose";
import { certificates, partners, tokenKeys } from "./tables.ts";
import { Refused } from "./refused.ts";

export type Caller = typeof partners.$inferSelect;

/** Who calls: the forwarded certificate, then the access token bound to it, looked up every time. */
export async function findCaller(
  c: Context,
  database: PostgresJsDatabase,
  baseUrl: string,
): Promise<Caller> {
  const hash = /^Hash=([0-9a-f]{64})$/.exec(c.req.header("x-forwarded-client-cert") ?? "")?.[1];
  if (hash === undefined) throw new Refused(401, "client_certificate_required");
  const certificateHash = Buffer.from(hash, "hex");
  const [found] = await database.select().from(certificates)
    .innerJoin(partners, eq(partners.partnerId, certificates.partnerId))
    .where(eq(certificates.certificateHash, certificateHash));
  const now = Date.now();
  if (
    found === undefined || found.certificates.revokedAt !== null ||
    now < found.certificates.validFrom || now >= found.certificates.validUntil
  ) throw new Refused(401, "client_certificate_unknown");
  const partner = found.partners;
  if (partner.status !== "active") throw new Refused(403, "partner_suspended");

  const token = /^Bearer (.+)$/.exec(c.req.header("authorization") ?? "")?.[1];
  if (token === undefined) throw new Refused(401, "token_missing");
  const payload = await readToken(token, database, baseUrl);
  const bound = (payload.cnf as { "x5t#S256"?: string } | undefined)?.["x5t#S256"];
  if (payload.sub !== partner.clientId || bound !== certificateHash.toString("base64url")) {
    throw new Refused(401, "token_certificate_mismatch");
  }
  return partner;
}

async function readToken(token: string, database: PostgresJsDatabase, baseUrl: string) {
  try {
    const { kid } = decodeProtectedHeader(token);
    const [key] = await database.select().from(tokenKeys)
      .where(and(eq(tokenKeys.keyId, kid ?? "")));
    const publicKey = await importJWK(key!.publicJwk as JWK, "ES256");
    const options = { issuer: baseUrl, typ: "at+jwt", algorithms: ["ES256"] };
    return (await jwtVerify(token, publicKey, options)).payload;
  } catch {
    throw new Refused(401, "token_invalid");
  }
}
