import type { Database } from "@sabika/database";
import { type ArgumentsOf, type CarriedName, performAct, type ResultOf } from "@sabika/office/acts";
import type { PartnerAdminContext } from "@sabika/office/partners";
import type { AdminOutcome } from "@sabika/terms";
import { random } from "./random.ts";

/** Performs an act without a signature, as programs may before there are operators with keys. */
export async function actAs<N extends CarriedName>(
  admin: PartnerAdminContext,
  name: N,
  input: ArgumentsOf<N>,
): Promise<AdminOutcome<ResultOf<N>>> {
  const outcome = await performAct(admin, { name, arguments: input });
  if (!outcome.ok) return outcome;
  if (!("done" in outcome.value)) throw new Error(`${name} waits for a second person`);
  return { ok: true, value: outcome.value.done as ResultOf<N> };
}

/** Returns the code of a refused act, or "done". */
export const codeOf = (outcome: AdminOutcome<unknown>): string =>
  outcome.ok ? "done" : outcome.code;

/** Returns a function that performs acts which need only a database, no master keys. */
export function actsOn(database: Database) {
  const admin = {
    database,
    environment: "sandbox",
    actor: { who: "tester", from: "test" },
    endpoints: { allowLoopback: true, resolve: () => Promise.resolve([]) },
    now: Date.now,
    random,
  };
  return <N extends CarriedName>(name: N, input: ArgumentsOf<N>) =>
    actAs(admin as unknown as PartnerAdminContext, name, input);
}

/** Reads a partner's client id. */
export async function clientIdOf(database: Database, partnerId: number): Promise<string> {
  const [row] = await database.sql<{ client_id: string }[]>`
    select client_id from partners where partner_id = ${partnerId}::integer`;
  return row!.client_id;
}
