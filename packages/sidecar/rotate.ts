import { readStats } from "./ask_admin.ts";
import { changeEnvoy, type UpdateCounts, type UpdateWatch } from "./change_envoy.ts";
import { checkSet, type SetRules } from "./check_set.ts";
import { adminSocket } from "./folders.ts";
import { currentVersion, pointTo, removeOldSets, type SetVersion, storeSet } from "./sds_folder.ts";
import type { SecretSet } from "./secret_set.ts";

/** The outcome of a new set; each of `problems` is a sentence for the operator. */
export type Rotation =
  | { ok: true; version: SetVersion; applied: boolean }
  | { ok: false; problems: string[] };

/**
 * Hands a new set of secrets to the sidecar in `folder` without a restart: checks it, stores it,
 * points Envoy to it, and waits until Envoy has accepted or refused it. If Envoy refuses, it keeps the
 * old set, also after a restart, because the pointer is put back.
 *
 * @returns `applied: false` when no Envoy runs there: it will read the set when it starts
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
  const pointToSet = () => pointTo(folder, version);
  const result = await changeEnvoy(adminSocket(socketFolder), WATCH, pointToSet);
  if (result === "refused") {
    if (old !== undefined) await pointTo(folder, old);
    return { ok: false, problems: ["Envoy refused the set; it goes on with the old one"] };
  }
  await removeOldSets(folder);
  return { ok: true, version, applied: result === "applied" };
}

/** Envoy has to accept each of the three secrets. */
const WATCH: UpdateWatch = { readCounts, updates: 3, timeoutMs: 5_000 };

async function readCounts(admin: string): Promise<UpdateCounts> {
  const counters = "^sds\\.|\\.sds\\.|key_rotation_failed|ssl_context_update_by_sds";
  const stats = await readStats(admin, counters);
  const sum = (pattern: RegExp): number =>
    [...stats].reduce((total, [name, value]) => pattern.test(name) ? total + value : total, 0);
  return {
    accepted: sum(/(server_certificate|partner_ca|edge_secret)\.update_success$/),
    rejected: sum(/\.update_rejected$|key_rotation_failed$/),
  };
}
