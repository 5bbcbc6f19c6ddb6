import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let collect: (() => void) | undefined;

/** Bytes of the heap that are in use after a collection; where none can be asked for, as it is. */
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
