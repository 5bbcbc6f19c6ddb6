import type { Transaction } from "@sabika/database";
import type { AdminContext } from "@sabika/service/audit";
import type { AdminOutcome } from "@sabika/terms";
import { type Dossier, factsOf, splitArguments } from "./dossier/line.ts";
import { lockFacts } from "./lock_facts.ts";
import { readDossier } from "./read_dossier.ts";

/** Reads the facts of an act's dossier (Decision D96) as they are until the transaction ends. */
export async function readFacts(
  { transaction: sql, ...admin }: AdminContext & { transaction: Transaction },
  name: string,
  argumentsText: string,
): Promise<AdminOutcome<Dossier>> {
  const { input } = splitArguments(JSON.parse(argumentsText));
  await lockFacts(sql, name, input);
  const outcome = await readDossier({ ...admin, sql }, name, input);
  return outcome.ok ? { ok: true, value: factsOf(outcome.value) } : outcome;
}
