import { askAdmin } from "./ask_admin.ts";

/** Envoy's counters of the updates that it has accepted and rejected since it started. */
export interface UpdateCounts {
  accepted: number;
  rejected: number;
}

/** The means to tell whether Envoy has accepted a change. */
export interface UpdateWatch {
  /** Reads the counters from Envoy's admin socket. */
  readCounts: (admin: string) => Promise<UpdateCounts>;
  /** How many updates the change causes; Envoy has to accept each. */
  updates: number;
  timeoutMs: number;
}

/**
 * Changes the files that Envoy watches, and waits until Envoy has accepted or rejected the change.
 *
 * @param admin the path of Envoy's admin socket
 * @returns `applied` when Envoy accepted the change; `refused` when it did not, or not in time;
 *   `stored` when no Envoy runs there: its next start reads the files
 */
export async function changeEnvoy(
  admin: string,
  { readCounts, updates, timeoutMs }: UpdateWatch,
  change: () => Promise<void>,
): Promise<"applied" | "stored" | "refused"> {
  const runs = await askAdmin(admin, "/ready").then(() => true, () => false);
  if (!runs) {
    await change();
    return "stored";
  }
  const before = await readCounts(admin);
  await change();
  for (let waitedMs = 0; waitedMs < timeoutMs; waitedMs += 20) {
    const now = await readCounts(admin);
    if (now.rejected > before.rejected) return "refused";
    if (now.accepted >= before.accepted + updates) return "applied";
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return "refused";
}
