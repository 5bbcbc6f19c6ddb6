import type { Standbys } from "@sabika/database";
import type { ControlAway } from "@sabika/service/partners";
import type { FailedShare } from "../write_shares.ts";
import type { DatabaseFigures } from "./database_figures.ts";
import type { GaugeRow } from "./gauges.ts";

/** Values that are read at each scrape. */
export interface MetricSources {
  queueDepth(): number;
  /** Undefined without a price. */
  priceAgeSeconds(): number | undefined;
  isRegisterFresh(): boolean;
  /** Undefined while control answers. */
  controlAway(): ControlAway | undefined;
  /** Epoch milliseconds, by the clock of `controlAway`. */
  now(): number;
  clockOffsetSeconds(): number;
  residentMemoryBytes(): number;
  /** Log lines that could not be written since the start. */
  lostLogLines(): number;
  isReady(): boolean;
  /** The share of each kind of write that failed in a cell in the last seconds. */
  failedShares(): readonly FailedShare[];
  /** The number of open event streams. */
  eventStreams(): number;
  /** The standbys of each cell's database that are usable for reads of the past; none without them. */
  standbys(): readonly (readonly [cellId: string, standbys: Pick<Standbys, "lagMs" | "reads">])[];
  /** From the database, at most once for each scrape; undefined when it does not answer. */
  fromDatabase(): Promise<DatabaseFigures | undefined>;
}

/** The gauges of an instance, whatever its databases say. */
export const GAUGES: readonly GaugeRow<MetricSources>[] = [
  ["sabika_queue_depth", "Writes waiting for the next batch.", (now) => now.queueDepth()],
  [
    "sabika_price_age_seconds",
    "Age of the latest price; NaN without one.",
    (now) => now.priceAgeSeconds() ?? Number.NaN,
  ],
  [
    "sabika_register_fresh",
    "1 when this instance's snapshot of the partners is up to date.",
    (now) => Number(now.isRegisterFresh()),
  ],
  [
    "sabika_control_away_seconds",
    "How long control has not answered; 0 while it does.",
    ({ controlAway, now }) => (now() - (controlAway()?.sinceMs ?? now())) / 1_000,
  ],
  [
    "sabika_control_away_left_seconds",
    "How long partners of other cells still trade without control; NaN while it answers.",
    ({ controlAway, now }) => Math.max(0, (controlAway()?.untilMs ?? Number.NaN) - now()) / 1_000,
  ],
  [
    "sabika_clock_offset_seconds",
    "This instance's clock minus the database's.",
    (now) => now.clockOffsetSeconds(),
  ],
  [
    "sabika_process_resident_memory_bytes",
    "Resident memory of this process.",
    (now) => now.residentMemoryBytes(),
  ],
  [
    "sabika_log_lines_lost",
    "Log lines that could not be written since the start.",
    (now) => now.lostLogLines(),
  ],
  ["sabika_event_streams", "Streams of events that are open.", (now) => now.eventStreams()],
  ["sabika_ready", "1 when the instance takes requests.", (now) => Number(now.isReady())],
];
