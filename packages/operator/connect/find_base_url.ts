import type { Surroundings } from "../context.ts";
import type { CommonFlags } from "./common_flags.ts";
import { readNoted } from "./read_noted.ts";

/** Finds the address that partners call, for their kits: a flag, the environment, the data folder, a sandbox's. */
export async function findBaseUrl(
  { flags, surroundings: { env }, dataFolder }: {
    readonly flags: CommonFlags;
    readonly surroundings: Surroundings;
    readonly dataFolder: string;
  },
  isSandbox: () => Promise<boolean>,
): Promise<string | undefined> {
  return flags.baseUrl ?? env["SABIKA_BASE_URL"] ?? await readNoted(dataFolder, "base.url") ??
    (await isSandbox() ? "https://127.0.0.1:8443" : undefined);
}
