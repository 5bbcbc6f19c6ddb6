import { whyNotPrivate } from "@sabika/identity/keys";
import {
  type ActArguments,
  type PersonsKey,
  readPersonsKey,
  signAct,
} from "@sabika/identity/signatures";
import type { AskedAct } from "@sabika/office/people";
import type { ActName } from "@sabika/terms";
import { type Environment, uuidV7 } from "@sabika/protocol";
import { readFile } from "node:fs/promises";
import type { Surroundings } from "../context.ts";
import { RefusedError } from "../outcome.ts";
import type { Engine } from "./engine.ts";

interface Asking {
  flags: { operatorKey?: string; breakGlass?: string };
  surroundings: Surroundings;
  environment: Environment;
  /** Adds the dossier to the arguments that somebody signs; left out for acts that have none. */
  describe?: Engine["describe"];
}

/** The act as the person at the command requests it: signed, if they named a key of theirs. */
export async function askAct(
  { flags, surroundings, environment, describe }: Asking,
  name: ActName,
  input: ActArguments,
): Promise<AskedAct> {
  const { now, random } = surroundings;
  const act = { name, arguments: input };
  if (flags.breakGlass !== undefined) return { ...act, breakGlass: flags.breakGlass };
  const key = await readKeyOf({ flags, surroundings });
  if (key === undefined) return act;
  const id = uuidV7(now(), random);
  act.arguments = await describe?.(name, input, key.keyId) ?? input;
  return { signed: await signAct(environment, { ...act, id }, key, now()) };
}

/** Says that an act without a person was done, if this was one. */
export function reportBrokenGlass(
  { flags, surroundings }: Omit<Asking, "environment" | "describe">,
): void {
  if (flags.breakGlass === undefined) return;
  const report = "sabika: the glass is broken: the audit log says so, and the servers report it\n";
  surroundings.stderr.write(report);
}

/** The key that the person named, undefined without one; throws a `RefusedError` if it is unusable. */
export async function readKeyOf(
  { flags, surroundings: { env } }: Omit<Asking, "environment" | "describe">,
): Promise<PersonsKey | undefined> {
  const file = flags.operatorKey ?? env["SABIKA_OPERATOR_KEY_FILE"];
  if (file === undefined) return undefined;
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) throw new RefusedError("no_file", `your key ${file} cannot be read`);
  const key = await readPersonsKey(text);
  const reason = await whyNotPrivate(file);
  if (reason !== undefined) throw new RefusedError("file_not_private", reason);
  if (key !== undefined) return key;
  throw new RefusedError("invalid_signing_key", `${file} holds no private key on P-256`);
}
