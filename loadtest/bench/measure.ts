import type { Loader } from "./loader/start_loader.ts";
import type { Progress } from "./progress.ts";
import type { Ratio } from "./ratio.ts";
import type { World } from "./world/world.ts";

/** What a measure has at hand. */
export interface Bench {
  quick: boolean;
  rounds: number;
  /** How long each figure of a round is measured. */
  seconds: number;
  /** How many orders `growth` stores; it has its own number when none was asked for. */
  rows: number | undefined;
  /** The folder of another checkout, for `--against`. */
  against: string | undefined;
  progress: Progress;
  loader: Loader;
  /** The database, the services and their partners; made when the first measure asks. */
  world(): Promise<World>;
  /** Prints a table of its own above that of the ratios. */
  note(table: string): void;
}

/** A question, and the ratios that answer it. */
export interface Measure {
  name: string;
  asks: string;
  /** Left out by `--quick`, unless it is named. */
  long?: boolean;
  /** Left out unless it is named. */
  onlyNamed?: boolean;
  run(bench: Bench): Promise<Ratio[]>;
}
