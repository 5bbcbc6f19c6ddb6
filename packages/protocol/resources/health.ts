import { formatTime } from "../times.ts";
import { type Environment, ENVIRONMENTS } from "./environment.ts";
import type { JsonValue } from "../json.ts";
import { ResourceReader } from "../resource_reader.ts";

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

/** Reads what `healthToJson` writes. Throws `WireFormatError`. */
export function healthFromJson(value: JsonValue): Health {
  const reader = new ResourceReader(value, "health");
  const status = reader.oneOf("status", ["ok", "unavailable"]);
  return status === "unavailable" ? { status } : {
    status,
    environment: reader.oneOf("environment", ENVIRONMENTS),
    serverTimeMs: reader.timeMs("server_time"),
  };
}
