import { askAdmin } from "./ask_admin.ts";

/** How often Envoy has taken something that changes while it runs, and how often it refused it. */
export interface Verdicts {
  taken: number;
  refused: number;
}

/** How Envoy's word on a change is read. */
export interface Word {
  verdicts: (admin: string) => Promise<Verdicts>;
  /** How many parts it takes. */
  parts: number;
  patienceMs: number;
}

/**
 * Changes the files that Envoy watches, and waits for its word.
 *
 * @returns `stored` when no Envoy runs there: it will read them when it starts; `refused` also when
 * it said nothing in time
 */
export async function changeEnvoy(
  admin: string,
  { verdicts, parts, patienceMs }: Word,
  change: () => Promise<void>,
): Promise<"applied" | "stored" | "refused"> {
  const runs = await askAdmin(admin, "/ready").then(() => true, () => false);
  if (!runs) {
    await change();
    return "stored";
  }
  const before = await verdicts(admin);
  await change();
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += 20) {
    const now = await verdicts(admin);
    if (now.refused > before.refused) return "refused";
    if (now.taken >= before.taken + parts) return "applied";
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return "refused";
}
