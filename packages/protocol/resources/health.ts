import { formatTime } from "../times.ts";
import type { Environment } from "./environment.ts";

/** The answer of GET /health (Decision D16). */
export type Health =
  | { readonly status: "ok"; readonly environment: Environment; readonly serverTimeMs: number }
  | { readonly status: "unavailable" };

/** The health's wire form. */
export function healthToJson(health: Health): string {
  return health.status === "ok"
    ? `{"status":"ok","environment":"${health.environment}",` +
      `"server_time":"${formatTime(health.serverTimeMs)}"}`
    : `{"status":"unavailable"}`;
}
