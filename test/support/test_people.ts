import {
  type ActArguments,
  makePersonsKey,
  type PersonsKey,
  readPersonsKey,
  signAct,
} from "@sabika/identity/signatures";
import { performAct } from "@sabika/office/acts";
import type { PartnerAdminContext } from "@sabika/office/partners";
import type { AskedAct } from "@sabika/office/people";
import { encodeUtf8, sha256Hex } from "@sabika/protocol";
import type { Role } from "@sabika/terms";
import { testRecord } from "../secret_search/record.ts";

/** An operator in a test, who signs with their own key. */
export interface TestPerson {
  name: string;
  key: PersonsKey;
  privatePem: string;
  /** Signs an act; `nowMs` is the current time by default. */
  sign(name: string, input?: ActArguments, nowMs?: number): Promise<AskedAct>;
  /** Signs an act and requests it. */
  ask(name: string, input?: ActArguments): ReturnType<typeof performAct>;
}

/** Performs an act without a signature although the rules require one. */
async function actByForce(
  admin: PartnerAdminContext,
  name: string,
  input: ActArguments,
): Promise<void> {
  const breakGlass = "a test's people";
  const done = await performAct(admin, { name, arguments: input, breakGlass });
  if (!done.ok) throw new Error(done.detail);
}

/** Adds an operator who has no key yet. */
export function addOperator(
  admin: PartnerAdminContext,
  operator: string,
  roles: readonly Role[],
): Promise<void> {
  return actByForce(admin, "operator.add", { operator, roles });
}

/**
 * Makes a one-time link for an operator, as `sabika operator link` does.
 *
 * @returns the link's fragment, without the `#`
 */
export async function makeLink(admin: PartnerAdminContext, operator: string): Promise<string> {
  const token = `link-${crypto.randomUUID()}`;
  testRecord.secret("link", token);
  const link_sha256 = await sha256Hex(encodeUtf8(token));
  await actByForce(admin, "operator.link", { operator, link_sha256 });
  return token;
}

/** Adds an operator by unsigned acts, which is possible until acts need a person. */
export async function addPerson(
  admin: PartnerAdminContext,
  name: string,
  roles: readonly Role[],
  as: { breakGlass?: string } = {},
): Promise<TestPerson> {
  const input = { operator: name, roles };
  const done = await performAct(admin, { name: "operator.add", arguments: input, ...as });
  if (!done.ok) throw new Error(done.detail);
  return await addKey(admin, name, as);
}

/** Adds a key of an operator, like `addPerson`; what it returns signs with that key. */
export async function addKey(
  admin: PartnerAdminContext,
  name: string,
  as: { breakGlass?: string } = {},
): Promise<TestPerson> {
  const { privatePem, publicPem } = await makePersonsKey();
  testRecord.secretsIn(privatePem);
  const input = { operator: name, key: publicPem };
  const done = await performAct(admin, { name: "operator.key.add", arguments: input, ...as });
  if (!done.ok) throw new Error(done.detail);
  const key = (await readPersonsKey(privatePem))!;
  const sign = async (act: string, input: ActArguments = {}, nowMs = admin.now()) => ({
    signed: await signAct(
      admin.environment,
      { id: crypto.randomUUID(), name: act, arguments: input },
      key,
      nowMs,
    ),
  });
  return {
    name,
    key,
    privatePem,
    sign,
    ask: async (act, input) => await performAct(admin, await sign(act, input)),
  };
}
