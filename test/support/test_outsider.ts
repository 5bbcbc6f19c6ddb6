import { assert } from "@std/assert";
import { makePersonsKey } from "@sabika/identity/signatures";
import { performAct } from "@sabika/office/acts";
import type { AttestationRole } from "@sabika/protocol";
import type { TestAdmin } from "./test_admin.ts";

/** Registers a new key of an inspector or auditor (Decision D106). */
export async function registerOutsider(
  admin: TestAdmin,
  role: AttestationRole,
): Promise<{ keyId: string; publicPem: string; privatePem: string }> {
  const { privatePem, publicPem } = await makePersonsKey();
  const input = { role, holder: "Gulf Inspection", key: publicPem };
  const added = await performAct(admin, { name: "attestation-key.add", arguments: input });
  assert(added.ok && "done" in added.value, JSON.stringify(added));
  const { keyId } = added.value.done as { keyId: string };
  return { keyId, publicPem, privatePem };
}
