import type { Environment } from "@sabika/protocol";
import type { Surroundings } from "../context.ts";
import { UsageError } from "../outcome.ts";
import type { CommonFlags } from "./common_flags.ts";

/** The environment that whoever runs the command named; undefined when they named none. */
export function wantedEnvironment(
  { flags, surroundings: { env } }: { flags: CommonFlags; surroundings: Surroundings },
): Environment | undefined {
  if (flags.environment !== undefined) return flags.environment;
  const named = env["SABIKA_ENVIRONMENT"];
  if (named === undefined || named === "sandbox" || named === "production") return named;
  throw new UsageError("SABIKA_ENVIRONMENT must be sandbox or production");
}
