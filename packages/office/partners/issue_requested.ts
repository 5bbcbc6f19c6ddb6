import { formatId } from "@sabika/protocol";
import { eq } from "drizzle-orm";
import { drizzle } from "@sabika/database";
import { credentialRequests } from "@sabika/service/credentials";
import { partners } from "@sabika/service/partners";
import type { AdminOutcome } from "@sabika/terms";
import type { PartnerAdminContext } from "./partner_admin_context.ts";
import { csrOf } from "./requested_credential.ts";
import { rotateCertificate, rotateSigningKey } from "./rotate.ts";

/**
 * Carries out a request for a credential as its partner made it, which a sandbox does by itself (Decision D120);
 * nothing if that has been decided.
 */
export async function issueRequested(
  admin: PartnerAdminContext,
  requestId: string,
): Promise<AdminOutcome<unknown>> {
  const [row] = await drizzle(admin.database.sql)
    .select({ asked: credentialRequests, clientId: partners.clientId }).from(credentialRequests)
    .innerJoin(partners, eq(partners.partnerId, credentialRequests.partnerId))
    .where(eq(credentialRequests.requestId, requestId));
  const { asked: { kind, status, evidence, overlapSeconds }, clientId } = row!;
  if (status !== "pending") return { ok: true, value: undefined };
  const csr = csrOf(evidence.body)!;
  const terms = { overlapMs: overlapSeconds * 1000, request: formatId("cr", requestId) };
  return kind === "certificate"
    ? await rotateCertificate(admin, clientId, { ...terms, csr })
    : await rotateSigningKey(admin, clientId, { ...terms, key: csr });
}
