import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let collect: (() => void) | undefined;

/** Returns the heap's used bytes, after a garbage collection if the runtime exposes `gc`. */
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
