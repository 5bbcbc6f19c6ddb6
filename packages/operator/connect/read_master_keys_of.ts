import { type MasterKeys, readMasterKeys } from "@sabika/identity/secrets";
import type { Environment } from "@sabika/protocol";
import { RefusedError } from "../outcome.ts";
import { requirePrivateFiles } from "./require_private_files.ts";
import type { Surroundings } from "../context.ts";
import type { MasterKeyText } from "./read_master_key_text.ts";

/** Reads the master keys; undefined if there are none and `isOptional`, as with a key service. */
export async function readMasterKeysOf(
  session: { masterKeyText(): Promise<MasterKeyText>; surroundings: Surroundings },
  environment: Environment,
  isOptional: boolean,
): Promise<MasterKeys | undefined> {
  try {
    const { text, file } = await session.masterKeyText();
    await requirePrivateFiles(environment, [file], session.surroundings.stderr);
    return readMasterKeys(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new RefusedError("no_master_key", error.message);
    const isMissing = error instanceof RefusedError && error.code === "no_master_key";
    if (isMissing && isOptional) return undefined;
    throw error;
  }
}
