import { assert } from "@std/assert";
import { makePersonsKey } from "@sabika/identity/signatures";
import { performAct } from "@sabika/office/acts";
import type { PartnerAdminContext } from "@sabika/office/partners";
import {
  type AttestationRole,
  COUNT_TYPE,
  encodeUtf8,
  importPrivatePem,
  signCompact,
} from "@sabika/protocol";
import { findCount } from "@sabika/service/vault";

/** Registers a new key of an inspector or auditor (Decision D106). */
export async function registerOutsider(
  admin: PartnerAdminContext,
  role: AttestationRole,
): Promise<{ keyId: string; publicPem: string; privatePem: string }> {
  const { privatePem, publicPem } = await makePersonsKey();
  const input = { role, holder: "Gulf Inspection", key: publicPem };
  const added = await performAct(admin, { name: "attestation-key.add", arguments: input });
  assert(added.ok && "done" in added.value, JSON.stringify(added));
  const { keyId } = added.value.done as { keyId: string };
  return { keyId, publicPem, privatePem };
}

/** Signs a count as an outsider does, offline; returns the compact JWS. */
export async function signCount(
  text: string,
  { keyId, privatePem }: { readonly keyId: string; readonly privatePem: string },
  typ = COUNT_TYPE,
): Promise<string> {
  const key = await importPrivatePem(privatePem);
  assert(key.ok);
  return await signCompact(encodeUtf8(text), key.key, { typ, keyId });
}

/** Has a new inspector sign a count of a pool. */
export async function inspectCount(admin: PartnerAdminContext, countId: string): Promise<void> {
  const inspector = await registerOutsider(admin, "inspector");
  const counted = await findCount(admin.database.sql, countId);
  const signature = await signCount(counted!.text!, inspector);
  const input = { count: countId, signature };
  const inspected = await performAct(admin, { name: "vault.count.inspect", arguments: input });
  assert(inspected.ok, JSON.stringify(inspected));
}
