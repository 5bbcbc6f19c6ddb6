import type { CurvePoint } from "./curve.ts";
import type { Loader } from "./loader/start_loader.ts";
import type { Progress } from "./progress.ts";
import type { Ratio } from "./ratio.ts";
import type { World } from "./world/world.ts";

/** What a measure has at hand. */
export interface Bench {
  quick: boolean;
  rounds: number;
  /** How long one figure of one round is measured. */
  seconds: number;
  /** How large a past is made; each measure has its own when nothing was said. */
  rows: number | undefined;
  progress: Progress;
  loader: Loader;
  /** The database, the services and their partners; made when the first measure asks. */
  world(): Promise<World>;
  /** Prints a table of its own above that of the ratios. */
  note(table: string): void;
  /** Keeps the curve for `--curve`. */
  curve(points: readonly CurvePoint[]): void;
}

/** A question, and the ratios that answer it. */
export interface Measure {
  name: string;
  asks: string;
  /** Left out by `--quick`, unless it is named. */
  long?: boolean;
  run(bench: Bench): Promise<Ratio[]>;
}
