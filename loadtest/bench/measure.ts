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
  progress: Progress;
  loader: Loader;
  /** The database, the services and their partners; made when the first measure asks. */
  world(): Promise<World>;
}

/** A question, and the ratios that answer it. */
export interface Measure {
  name: string;
  asks: string;
  /** Left out by `--quick`, unless it is named. */
  long?: boolean;
  run(bench: Bench): Promise<Ratio[]>;
}
