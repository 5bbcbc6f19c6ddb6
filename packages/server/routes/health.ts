import { type Environment, HEALTH } from "@sabika/protocol";
import type { ReceivedCall } from "../call/received_call.ts";
import { json } from "../call/reply.ts";
import type { Route } from "./route.ts";

/** What /health reports. `now` is epoch milliseconds. */
export interface HealthParts {
  readonly environment: Environment;
  readonly now: () => number;
  /** Whether database and price source are available. */
  readonly isHealthy: () => Promise<boolean>;
}

/** GET /health: whether the connection is set up right and the service available (Decision D16). */
export function healthRoute({ environment, now, isHealthy }: HealthParts): Route<ReceivedCall> {
  return async () =>
    await isHealthy()
      ? json(HEALTH.write({ status: "ok", environment, serverTimeMs: now() }))
      : json(HEALTH.write({ status: "unavailable" }), 503);
}
