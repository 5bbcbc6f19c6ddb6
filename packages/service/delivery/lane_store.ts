import type { Sql } from "@sabika/database";
import { selectEvents } from "../events/render_event.ts";
import { recordAttempts } from "./attempt_log.ts";
import {
  postponeDue,
  recordDelivery,
  recordScheduledFailure,
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

/** A function that takes the database first, with that argument bound. */
type Bound<Run> = Run extends (sql: Sql, ...parameters: infer Rest) => infer Result
  ? (...parameters: Rest) => Result
  : never;

/** What delivery reads and writes in one database; each call is its own transaction. */
export interface LaneStore {
  readonly lease: Bound<typeof leaseLanes>;
  readonly renew: Bound<typeof renewLeases>;
  readonly release: Bound<typeof releaseLane>;
  readonly advance: Bound<typeof advanceCursor>;
  readonly hold: Bound<typeof holdLane>;
  readonly skip: Bound<typeof skipEvent>;
  readonly disable: Bound<typeof disableLane>;
  readonly events: Bound<typeof selectEvents>;
  readonly due: Bound<typeof selectDueDeliveries>;
  readonly postponeDue: Bound<typeof postponeDue>;
  readonly recordScheduledFailure: Bound<typeof recordScheduledFailure>;
  readonly recordDelivery: Bound<typeof recordDelivery>;
  readonly recordAttempts: Bound<typeof recordAttempts>;
}

/** Creates the store of one database. */
export function laneStoreIn(sql: Sql): LaneStore {
  const here =
    <Rest extends unknown[], Result>(run: (sql: Sql, ...parameters: Rest) => Result) =>
    (...parameters: Rest): Result => run(sql, ...parameters);
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
    recordScheduledFailure: here(recordScheduledFailure),
    recordDelivery: here(recordDelivery),
    recordAttempts: here(recordAttempts),
  };
}
