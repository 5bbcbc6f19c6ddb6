import type { Sql } from "@sabika/database";
import { selectEvents } from "../events/render_event.ts";
import { recordAttempts } from "./attempt_log.ts";
import {
  postponeDue,
  recordDelivery,
  recordFailure,
  selectDueDeliveries,
} from "./event_deliveries.ts";
import {
  advanceCursor,
  disableLane,
  holdLane,
  leaseLanes,
  releaseLane,
  renewLeases,
  skipEvent,
} from "./webhook_lanes.ts";

/** Everything that delivery reads and writes; each call is its own transaction. */
export type LaneStore = ReturnType<typeof laneStoreIn>;

/** Creates the store of one database. */
export function laneStoreIn(sql: Sql) {
  const here =
    <Given extends unknown[], Result>(run: (sql: Sql, ...given: Given) => Result) =>
    (...parameters: Given): Result => run(sql, ...parameters);
  return {
    lease: here(leaseLanes),
    renew: here(renewLeases),
    release: here(releaseLane),
    advance: here(advanceCursor),
    hold: here(holdLane),
    skip: here(skipEvent),
    disable: here(disableLane),
    events: here(selectEvents),
    due: here(selectDueDeliveries),
    postponeDue: here(postponeDue),
    recordFailure: here(recordFailure),
    recordDelivery: here(recordDelivery),
    recordAttempts: here(recordAttempts),
  };
}
