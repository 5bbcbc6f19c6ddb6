import type { Reading } from "@sabika/service/trading";
import { BALANCES } from "@sabika/protocol";
import type { ReadCall } from "../call/findings.ts";
import { json } from "../call/reply.ts";
import type { Route } from "./route.ts";

/** GET /v1/balances: what the partner can spend (Decision D19). */
export function balancesRoute(reading: Pick<Reading, "balances">): Route<ReadCall> {
  return async ({ partner: { partnerId } }) =>
    json(BALANCES.write(await reading.balances({ partnerId })));
}
