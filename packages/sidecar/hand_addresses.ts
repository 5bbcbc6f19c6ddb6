import { readStats } from "./ask_admin.ts";
import { changeEnvoy, type Verdicts, type Word } from "./change_envoy.ts";
import { writeListener } from "./discovery.ts";
import { adminSocket } from "./folders.ts";
import { type RegisteredPartner, storeAddresses, storedAddresses } from "./registered_addresses.ts";
import type { SidecarSettings } from "./settings.ts";

export type AddressChange = { ok: true; applied: boolean } | { ok: false; problem: string };

/**
 * Hands the partners' registered addresses to the sidecar without a restart, and waits for Envoy's
 * word. When Envoy will not have them it goes on with the old ones, and so does a restart.
 *
 * @param partners in an order that stays: who is added comes last. Their addresses as
 *   `readRegisteredAddresses()` gives them
 * @param version any text that differs from the last one's, e.g. a time
 * @returns `applied: false` when no Envoy runs there: it will take them when it starts
 */
export async function handAddresses(
  settings: SidecarSettings,
  partners: readonly RegisteredPartner[],
  version: string,
): Promise<AddressChange> {
  const old = await storedAddresses(settings.folder);
  const word = await changeEnvoy(adminSocket(settings.socketFolder), WORD, async () => {
    await storeAddresses(settings.folder, partners);
    await writeListener(settings, partners, version);
  });
  if (word === "refused") {
    if (old !== undefined) await storeAddresses(settings.folder, old);
    await writeListener(settings, old, `${version}-back`);
    return { ok: false, problem: "Envoy refused the addresses; it goes on with the old ones" };
  }
  return { ok: true, applied: word === "applied" };
}

const WORD: Word = { verdicts, parts: 1, patienceMs: 30_000 };

async function verdicts(admin: string): Promise<Verdicts> {
  const stats = await readStats(admin, "^listener_manager\\.lds\\.update_");
  const count = (name: string) => stats.get(`listener_manager.lds.update_${name}`) ?? 0;
  return { taken: count("success"), refused: count("rejected") + count("failure") };
}
