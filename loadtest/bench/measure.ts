import type { Loader } from "./loader/start_loader.ts";
import type { Progress } from "./progress.ts";
import type { Ratio } from "./ratio.ts";
import type { World } from "./world/world.ts";

/** The options and services that measures use. */
export interface Bench {
  quick: boolean;
  rounds: number;
  /** The duration of each measurement in a round. */
  seconds: number;
  /** How many orders `growth` stores; undefined: its default. */
  rows: number | undefined;
  /** The folder of another checkout to compare with (`--against`). */
  against: string | undefined;
  progress: Progress;
  loader: Loader;
  /** Returns the database, services and partners, which the first call makes. */
  world(): Promise<World>;
  /** Prints a further table above that of the ratios. */
  note(table: string): void;
}

/** A question, and the ratios that answer it. */
export interface Measure {
  name: string;
  asks: string;
  /** Whether `--quick` leaves the measure out unless it is named. */
  long?: boolean;
  /** Whether the measure is run only if it is named. */
  onlyNamed?: boolean;
  run(bench: Bench): Promise<Ratio[]>;
}
