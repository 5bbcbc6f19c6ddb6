import { createHash } from "node:crypto";
import type { Context } from "hono";
import { eq } from "drizzle-orm";
import type { PostgresJsDatabase } from "drizzle-orm/postgres-js";
import { flattenedVerify, importJWK, type JWK } from "jose";
import { signingKeys } from "./tables.ts";
import { Refused } from "./refused.ts";

/** What a request that was found signed says about itself. */
export interface SignedRequest {
  nonce: string;
  timestampSeconds: number;
}

/** Verifies the detached signature over the five lines with the jose library (Spec §5). */
export async function verifySignature(
  c: Context,
  body: string,
  partnerId: number,
  database: PostgresJsDatabase,
  baseUrl: string,
): Promise<SignedRequest> {
  const timestamp = c.req.header("x-timestamp") ?? "";
  if (!/^[1-9][0-9]{0,10}$/.test(timestamp)) throw new Refused(401, "timestamp_invalid");
  const skew = Math.floor(Date.now() / 1000) - Number(timestamp);
  if (Math.abs(skew) > 300) throw new Refused(401, "timestamp_out_of_window");
  const nonce = c.req.header("x-nonce") ?? "";
  if (!/^[\x21-\x7e]{16,128}$/.test(nonce)) throw new Refused(401, "nonce_invalid");
  const signature = c.req.header("x-jws-signature");
  if (signature === undefined) throw new Refused(401, "signature_missing");

  const [header, , proof] = signature.split(".");
  const bodyHash = createHash("sha256").update(body).digest("hex");
  const target = new URL(c.req.url);
  const url = baseUrl + target.pathname + target.search;
  const payload = [c.req.method, url, bodyHash, timestamp, nonce].join("\n");
  const keys = await database.select().from(signingKeys).where(
    eq(signingKeys.partnerId, partnerId),
  );
  for (const { publicJwk } of keys) {
    const key = await importJWK(publicJwk as JWK, "ES256");
    const jws = { protected: header!, payload, signature: proof! };
    const found = await flattenedVerify(jws, key, { algorithms: ["ES256"] }).catch(() => undefined);
    if (found !== undefined) return { nonce, timestampSeconds: Number(timestamp) };
  }
  throw new Refused(401, "signature_invalid");
}
