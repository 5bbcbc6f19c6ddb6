import { good } from "./metrics.ts";

/**
 * Runs one iteration; an exception or `false` counts as a failure. The first few exceptions are printed, the
 * others only counted.
 */
export async function iterate(run: () => Promise<boolean>): Promise<void> {
  try {
    good.add(await run());
  } catch (error) {
    good.add(false);
    if (reported++ < 3) console.error(`iteration failed: ${String(error)}`);
  }
}

let reported = 0;
