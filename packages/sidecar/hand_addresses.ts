import { readStats } from "./ask_admin.ts";
import { changeEnvoy, type UpdateCounts, type UpdateWatch } from "./change_envoy.ts";
import { writeListener } from "./discovery.ts";
import { adminSocket } from "./folders.ts";
import { type RegisteredPartner, storeAddresses, storedAddresses } from "./registered_addresses.ts";
import type { SidecarSettings } from "./settings.ts";

/** The outcome of new addresses; `problem` is a sentence for the operator. */
export type AddressChange = { ok: true; applied: boolean } | { ok: false; problem: string };

/**
 * Hands the partners' registered addresses to the sidecar without a restart, and waits until Envoy has
 * accepted or refused them. After a refusal Envoy keeps the old ones, also across a restart.
 *
 * @param partners in a stable order: new ones come last. Their addresses are as
 *   `readRegisteredAddresses()` returns them
 * @param version any text that differs from the previous version, e.g. a time
 * @returns `applied: false` when no Envoy runs there: it will read them when it starts
 */
export async function handAddresses(
  settings: SidecarSettings,
  partners: readonly RegisteredPartner[],
  version: string,
): Promise<AddressChange> {
  const old = await storedAddresses(settings.folder);
  const result = await changeEnvoy(adminSocket(settings.socketFolder), WATCH, async () => {
    await storeAddresses(settings.folder, partners);
    await writeListener(settings, partners, version);
  });
  if (result === "refused") {
    if (old !== undefined) await storeAddresses(settings.folder, old);
    await writeListener(settings, old, `${version}-back`);
    return { ok: false, problem: "Envoy refused the addresses; it goes on with the old ones" };
  }
  return { ok: true, applied: result === "applied" };
}

const WATCH: UpdateWatch = { readCounts, updates: 1, timeoutMs: 30_000 };

async function readCounts(admin: string): Promise<UpdateCounts> {
  const stats = await readStats(admin, "^listener_manager\\.lds\\.update_");
  const count = (name: string) => stats.get(`listener_manager.lds.update_${name}`) ?? 0;
  return { accepted: count("success"), rejected: count("rejected") + count("failure") };
}
