import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let collect: (() => void) | undefined;

/** Bytes of the heap in use, after a garbage collection if the runtime lets us ask for one. */
export function heapInUse(): number {
  collect ??= collector();
  collect();
  return process.memoryUsage().heapUsed;
}

function collector(): () => void {
  try {
    setFlagsFromString("--expose-gc");
    return runInNewContext("gc") as () => void;
  } catch {
    return () => {};
  }
}
