import { findSigner } from "@sabika/service/audit";
import { spendOperatorNonce } from "./people/sessions.ts";
import {
  checkSignedHeaders,
  checkTimestampWindow,
  HEADER,
  importPublicJwk,
  sha256Hex,
  verifySignedRequest,
} from "@sabika/protocol";
import type { Context } from "hono";
import type { Office, OfficeEnv } from "./office.ts";
import type { Person } from "./people/person.ts";
import { Refused } from "./refused.ts";

/**
 * Makes the function that finds the person whose key signed a request. Requests are signed like those of
 * partners (Decisions D20 to D25), with the key that `kid` names.
 *
 * @returns a function that returns undefined for an unsigned request, and throws {@linkcode Refused} if the
 *   signature, timestamp or nonce is refused, the person is disabled, or the key has ended
 */
export function findRequestSigner(
  { origin, admin: { database: { sql }, now } }: Office,
): (context: Context<OfficeEnv>) => Promise<Person | undefined> {
  return async ({ req }) => {
    const signature = req.header(HEADER.jwsSignature);
    if (signature === undefined) return undefined;
    const headers = checkSignedHeaders({
      timestamp: req.header(HEADER.timestamp),
      nonce: req.header(HEADER.nonce),
      signature,
    });
    if (!headers.ok) throw new Refused(headers.code, headers.detail);
    const refusal = checkTimestampWindow(headers.timestampSeconds, now());
    if (refusal !== undefined) throw new Refused(refusal.code, refusal.detail);
    const { keyId } = headers.jws;
    const signer = keyId === undefined ? undefined : await findSigner(sql, { keyId });
    // A passkey signs acts, which a page shows; it signs no requests.
    if (signer === undefined || signer.key.rpId !== null) throw new Refused("signature_invalid");
    const imported = await importPublicJwk(signer.key.publicJwk);
    const { pathname, search } = new URL(req.url);
    const verified = imported.ok && await verifySignedRequest({
      method: req.method,
      baseUrl: origin,
      target: pathname + search,
      bodySha256: await sha256Hex(new Uint8Array(await req.arrayBuffer())),
      headers,
      keys: [{ keyId: signer.key.keyId, publicKey: imported.key }],
    });
    if (!verified || !verified.ok) throw new Refused("signature_invalid");
    const { operatorId, name, roles, enabled, key } = signer;
    if (!enabled || (key.validUntilMs !== null && key.validUntilMs <= now())) {
      throw new Refused("not_permitted", `"${name}" is disabled, or this key has ended`);
    }
    const nonce = { keyId: key.keyId, nonce: headers.nonce };
    if (!await spendOperatorNonce({ sql, nowMs: now() }, nonce)) throw new Refused("nonce_reused");
    return { operatorId, name, roles, keyId: key.keyId, signedInUntilMs: null };
  };
}
