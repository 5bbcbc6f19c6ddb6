import {
  credentialRequestFromJson,
  decodeHex,
  JsonSyntaxError,
  judgeRequest,
  parseJson,
  refuse,
  type RequestedKind,
} from "@sabika/protocol";
import { and, eq, gt, isNull, type SQL } from "drizzle-orm";
import { drizzle, type Transaction } from "@sabika/database";
import { changePartner, notAfterNow } from "@sabika/service/audit";
import { credentialRequests, isRequest } from "@sabika/service/credentials";
import { certificates, readSigningKeys, signingKeys } from "@sabika/service/partners";
import { type AdminOutcome, isValidAt } from "@sabika/terms";
import type { PartnerAdminContext } from "./partner_admin_context.ts";

const PATHS: Readonly<Record<RequestedKind, string>> = {
  certificate: "/v1/credentials/certificate",
  signing_key: "/v1/credentials/signing-key",
};

/** A request that can be carried out now. */
export interface OpenRequest {
  readonly requestId: string;
  /** The only credential that it ends. */
  readonly replaced: SQL;
  /** When that one ends anyway, epoch milliseconds; null for never. */
  readonly endsAtMs: number | null;
}

/**
 * Opens a partner's pending request for a credential, to be carried out in this transaction (Decision D120). Nothing
 * but the signature is believed: refuses a request that no signing key of the partner's which is valid now has
 * signed, one for something else, and one whose own credential has ended.
 *
 * @param asked.csr what is about to be certified or registered
 */
export async function openRequest(
  sql: Transaction,
  { now }: Pick<PartnerAdminContext, "now">,
  partnerId: number,
  asked: { readonly request: string; readonly kind: RequestedKind; readonly csr: string },
): Promise<AdminOutcome<OpenRequest>> {
  const row = await lockPending(sql, partnerId, asked.request);
  if (!row.ok) return row;
  const { requestId, kind, evidence, replaces } = row.value;
  const keys = (await readSigningKeys(sql, partnerId)).filter((key) => isValidAt(key, now()));
  const fault = kind !== asked.kind ? "wrong_body" : await judgeRequest(
    {
      // The database has seen to it that this was the time.
      receivedAtMs: evidence.timestampSeconds * 1000,
      path: PATHS[kind],
      asksFor: (body) => csrOf(body) === asked.csr,
    },
    evidence,
    keys,
  );
  if (fault !== undefined) {
    return refuse("signature_invalid", `the partner did not sign this request so: ${fault}`);
  }
  const ends = kind === "certificate"
    ? await findCertificate(sql, partnerId, decodeHex(replaces)!, now())
    : keys.find(({ keyId }) => keyId === evidence.keyId)?.validUntilMs;
  if (ends === undefined) {
    return refuse("invalid_state", "the certificate that the request came with has ended");
  }
  const replaced = kind === "certificate"
    ? eq(certificates.certificateHash, decodeHex(replaces)!)
    : eq(signingKeys.keyId, evidence.keyId);
  return { ok: true, value: { requestId, replaced, endsAtMs: ends } };
}

/** Notes that a request was carried out, with the certificate that came of it, PEM with its issuer's. */
export async function closeRequest(
  sql: Transaction,
  { now }: Pick<PartnerAdminContext, "now">,
  { requestId, endsAtMs }: OpenRequest,
  { oldEndsAtMs, certificate }: { oldEndsAtMs: number; certificate?: string },
): Promise<void> {
  await drizzle(sql).update(credentialRequests).set({
    status: "issued",
    decidedAt: notAfterNow(now()),
    replacedEndsAt: Math.min(oldEndsAtMs, endsAtMs ?? Infinity),
    certificate,
  }).where(eq(credentialRequests.requestId, requestId));
}

/** Refuses a pending request of a partner's, with a reason that the partner reads. */
export function refuseRequest(
  admin: PartnerAdminContext,
  clientId: string,
  { request, reason }: { readonly request: string; readonly reason: string },
): Promise<AdminOutcome<{ request: string }>> {
  return changePartner(admin, clientId, "credential.refuse", async (sql, { partnerId }) => {
    const row = await lockPending(sql, partnerId, request);
    if (!row.ok) return row;
    await drizzle(sql).update(credentialRequests)
      .set({ status: "refused", decidedAt: notAfterNow(admin.now()), refusal: reason })
      .where(eq(credentialRequests.requestId, row.value.requestId));
    return { ok: true, value: { request }, audit: { request, reason } };
  });
}

/** The signing request in a request's body; undefined if it has none. */
export function csrOf(body: string): string | undefined {
  try {
    const read = credentialRequestFromJson(parseJson(body));
    return read.ok ? read.value.csr : undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

async function lockPending(
  sql: Transaction,
  partnerId: number,
  request: string,
): Promise<AdminOutcome<typeof credentialRequests.$inferSelect>> {
  const [row] = await drizzle(sql).select().from(credentialRequests)
    .where(isRequest(partnerId, request)).for("update");
  if (row === undefined) return refuse("not_found", `the partner has no request ${request}`);
  return row.status === "pending"
    ? { ok: true, value: row }
    : refuse("invalid_state", `the request is ${row.status} already`);
}

/** When a certificate of the partner's ends that is valid now; undefined if it is not. */
async function findCertificate(
  sql: Transaction,
  partnerId: number,
  certificateHash: Uint8Array,
  nowMs: number,
): Promise<number | undefined> {
  const [row] = await drizzle(sql).select().from(certificates).where(and(
    eq(certificates.partnerId, partnerId),
    eq(certificates.certificateHash, certificateHash),
    isNull(certificates.revokedAt),
    gt(certificates.validUntil, nowMs),
  ));
  return row?.validUntil;
}
