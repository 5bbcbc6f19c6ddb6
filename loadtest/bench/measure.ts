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
  /** The folder of another checkout, for `--against`. */
  against: string | undefined;
  progress: Progress;
  loader: Loader;
  /** The database, the services and their partners; made when the first measure asks. */
  world(): Promise<World>;
  /** Prints a table of its own above that of the ratios. */
  note(table: string): void;
  /** Keeps the curve for `--curve`. */
  curve(points: readonly CurvePoint[]): void;
}

/** What decides how long a measure takes. */
export type Size = Pick<Bench, "quick" | "rounds" | "seconds" | "rows">;

/** A question, and the ratios that answer it. */
export interface Measure {
  name: string;
  asks: string;
  /** About how many seconds that takes on two cores; the time left is reckoned from it. */
  takes(size: Size): number;
  /** Left out by `--quick`, unless it is named. */
  long?: boolean;
  /** Left out unless it is named. */
  onlyNamed?: boolean;
  run(bench: Bench): Promise<Ratio[]>;
}

/**
 * About how many seconds so many figures a round take: each is measured for as long as was said, after
 * quotes and signatures were made for it.
 *
 * @param warmUps figures that come before the first round
 */
export function figuresTake({ rounds, seconds }: Size, figures: number, warmUps = figures): number {
  return (rounds * figures + warmUps) * (1.8 * seconds + 1);
}

/** About how many seconds it takes to store so many orders, with all that belongs to them. */
export function fillTakes(orders: number): number {
  return orders / 45_000;
}
