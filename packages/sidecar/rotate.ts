import { askAdmin, readStats } from "./ask_admin.ts";
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
  const admin = adminSocket(socketFolder);
  const runs = await askAdmin(admin, "/ready").then(() => true, () => false);
  const before = runs ? await progress(admin) : undefined;
  const old = await currentVersion(folder);
  const version = await storeSet(folder, set, rules.nowMs);
  await pointTo(folder, version);
  if (before !== undefined && !await taken(admin, before)) {
    if (old !== undefined) await pointTo(folder, old);
    return { ok: false, problems: ["Envoy refused the set; it goes on with the old one"] };
  }
  await removeOldSets(folder);
  return { ok: true, version, applied: runs };
}

interface Progress {
  successes: number;
  refusals: number;
}

/** How often Envoy took, and how often it refused, one of the three secrets. */
async function progress(admin: string): Promise<Progress> {
  const stats = await readStats(
    admin,
    "^sds\\.|\\.sds\\.|key_rotation_failed|ssl_context_update_by_sds",
  );
  const sum = (pattern: RegExp): number =>
    [...stats].reduce((total, [name, value]) => pattern.test(name) ? total + value : total, 0);
  return {
    successes: sum(/(server_certificate|partner_ca|edge_secret)\.update_success$/),
    refusals: sum(/\.update_rejected$|key_rotation_failed$/),
  };
}

/** Waits until Envoy took all three; false when it refused one or said nothing within 5 s. */
async function taken(admin: string, before: Progress): Promise<boolean> {
  for (let turn = 0; turn < 250; turn++) {
    const now = await progress(admin);
    if (now.refusals > before.refusals) return false;
    if (now.successes >= before.successes + 3) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}
