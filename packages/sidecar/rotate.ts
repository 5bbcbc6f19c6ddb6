import { readStats } from "./ask_admin.ts";
import { changeEnvoy, type Verdicts, type Word } from "./change_envoy.ts";
import { checkSet, type SetRules } from "./check_set.ts";
import { adminSocket } from "./folders.ts";
import { currentVersion, pointTo, removeOldSets, type SetVersion, storeSet } from "./sds_folder.ts";
import type { SecretSet } from "./secret_set.ts";

export type Rotation =
  | { ok: true; version: SetVersion; applied: boolean }
  | { ok: false; problems: string[] };

/**
 * Hands a new set of secrets to the sidecar in `folder` without a restart: checks it, stores it,
 * points Envoy to it, and waits for Envoy's word. When Envoy will not have it, Envoy goes on
 * with the old one, and so does a restart, because the pointer is put back.
 *
 * @returns `applied: false` when no Envoy runs there: it will take the set when it starts
 */
export async function rotate(
  { folder, socketFolder }: { folder: string; socketFolder: string },
  set: SecretSet,
  rules: SetRules,
): Promise<Rotation> {
  const problems = await checkSet(set, rules);
  if (problems.length > 0) return { ok: false, problems };
  const old = await currentVersion(folder);
  const version = await storeSet(folder, set, rules.nowMs);
  const word = await changeEnvoy(adminSocket(socketFolder), WORD, () => pointTo(folder, version));
  if (word === "refused") {
    if (old !== undefined) await pointTo(folder, old);
    return { ok: false, problems: ["Envoy refused the set; it goes on with the old one"] };
  }
  await removeOldSets(folder);
  return { ok: true, version, applied: word === "applied" };
}

/** All three secrets have to be taken. */
const WORD: Word = { verdicts, parts: 3, patienceMs: 5_000 };

async function verdicts(admin: string): Promise<Verdicts> {
  const stats = await readStats(
    admin,
    "^sds\\.|\\.sds\\.|key_rotation_failed|ssl_context_update_by_sds",
  );
  const sum = (pattern: RegExp): number =>
    [...stats].reduce((total, [name, value]) => pattern.test(name) ? total + value : total, 0);
  return {
    taken: sum(/(server_certificate|partner_ca|edge_secret)\.update_success$/),
    refused: sum(/\.update_rejected$|key_rotation_failed$/),
  };
}
