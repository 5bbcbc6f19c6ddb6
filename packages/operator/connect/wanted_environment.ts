import { readSetting } from "@sabika/terms/settings";
import type { Environment } from "@sabika/protocol";
import type { Surroundings } from "../context.ts";
import type { CommonFlags } from "./common_flags.ts";

/** The environment in the flag or in `SABIKA_ENVIRONMENT`; undefined when neither names one. */
export function wantedEnvironment(
  { flags, surroundings: { env } }: { flags: CommonFlags; surroundings: Surroundings },
): Environment | undefined {
  return flags.environment ?? readSetting(env, "SABIKA_ENVIRONMENT");
}
