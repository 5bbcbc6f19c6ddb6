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
import type { Role } from "@sabika/terms";
import { testRecord } from "../secret_search/record.ts";

/** A person of a test, who signs with a key of their own. */
export interface TestPerson {
  name: string;
  key: PersonsKey;
  privatePem: string;
  /** Signs an act, as of now unless said otherwise. */
  sign(name: string, given?: ActArguments, nowMs?: number): Promise<AskedAct>;
  /** Signs an act and asks for it. */
  ask(name: string, given?: ActArguments): ReturnType<typeof performAct>;
}

/** Adds a person by the acts that an operator does, unsigned, which is possible before there are people. */
export async function addPerson(
  admin: PartnerAdminContext,
  name: string,
  roles: readonly Role[],
  as: { breakGlass?: string } = {},
): Promise<TestPerson> {
  const { privatePem, publicPem } = await makePersonsKey();
  testRecord.secretsIn(privatePem);
  const steps: [string, ActArguments][] = [
    ["operator.add", { operator: name, roles }],
    ["operator.key.add", { operator: name, key: publicPem }],
  ];
  for (const [act, input] of steps) {
    const done = await performAct(admin, { name: act, arguments: input, ...as });
    if (!done.ok) throw new Error(done.detail);
  }
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
