import { performAct } from "@sabika/office/acts";
import type { PartnerAdminContext } from "@sabika/office/partners";
import { listOperators, readPeopleSince } from "@sabika/service/audit";
import { ROLES } from "@sabika/terms";
import { encodeBase64Url, encodeUtf8, sha256Hex } from "@sabika/protocol";
import { must } from "./simulated_vault.ts";

/** The first person, who has every role. */
const OPERATOR = "operator";
const LINK_BYTES = 32;

/**
 * Makes a one-time link for the first person of a deployment, `operator`, who has every role.
 *
 * @param origin the office's address
 * @returns the link, with which the first to open it registers a passkey; undefined when `operator` has
 * a passkey, or when acts need a signed-in person
 */
export async function inviteFirstPerson(
  admin: PartnerAdminContext,
  origin: string,
): Promise<string | undefined> {
  const { database: { sql }, random } = admin;
  const [found] = await listOperators(sql, OPERATOR);
  if (await readPeopleSince(sql) !== null || (found?.keys.length ?? 0) > 0) return undefined;
  if (found === undefined) {
    const person = { operator: OPERATOR, roles: [...ROLES] };
    must(await performAct(admin, { name: "operator.add", arguments: person }));
  }
  const token = encodeBase64Url(random(LINK_BYTES));
  const link = { operator: OPERATOR, link_sha256: await sha256Hex(encodeUtf8(token)) };
  must(await performAct(admin, { name: "operator.link", arguments: link }));
  return `${origin}/enrol#${token}`;
}
