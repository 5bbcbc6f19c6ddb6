import type { PartnerAdminContext } from "@sabika/office/partners";
import { decodePem } from "@sabika/protocol";

/**
 * Writes a root authority's private key to the database, where 1.0.0 kept it.
 *
 * @param root the text of the root's file
 */
export async function keepRootInDatabase(
  { database, secrets }: Pick<PartnerAdminContext, "database" | "secrets">,
  root: string,
): Promise<void> {
  const { bytes } = decodePem(root.slice(root.indexOf("-----BEGIN PRIVATE KEY")))!;
  const sealed = await secrets.seal("authorities/root", bytes);
  await database.sql`
    update authorities set sealed_private_key = ${sealed}, revocation_list_pem = null
    where name = 'root'`;
}
