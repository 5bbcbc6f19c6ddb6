import { type Environment, HEALTH } from "@sabika/protocol";
import type { CertifiedCall } from "../call/findings.ts";
import { json } from "../call/reply.ts";
import type { Route } from "./route.ts";

/** What /health reports. `now` is epoch milliseconds. */
export interface HealthParts {
  readonly environment: Environment;
  readonly now: () => number;
  /** Whether database, price source and a cell are available, and the cell carries out writes. */
  readonly isHealthy: (cellId: string) => Promise<boolean>;
}

/** GET /health: whether the connection is set up right and the service available (Decision D16). */
export function healthRoute({ environment, now, isHealthy }: HealthParts): Route<CertifiedCall> {
  return async ({ partner: { cellId } }) =>
    await isHealthy(cellId)
      ? json(HEALTH.write({ status: "ok", environment, serverTimeMs: now() }))
      : json(HEALTH.write({ status: "unavailable" }), 503);
}
