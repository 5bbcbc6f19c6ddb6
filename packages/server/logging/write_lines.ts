import { writeSync } from "node:fs";

/**
 * Creates a writer that never throws and never waits: a full disk or a reader that is stuck costs log
 * lines, but does not stop the service.
 *
 * @param writeBytes like `fs.writeSync`: returns how many bytes it wrote, or throws
 */
export function createLineWriter(
  descriptor: number,
  writeBytes: (descriptor: number, bytes: Uint8Array) => number = writeSync,
) {
  let lost = 0;
  return {
    write(text: string) {
      let bytes: Uint8Array = new TextEncoder().encode(text);
      try {
        while (bytes.length > 0) bytes = bytes.subarray(writeBytes(descriptor, bytes));
      } catch {
        lost += bytes.reduce((lines, byte) => lines + Number(byte === LINE_FEED), 0);
      }
    },
    /** How many lines were lost since the start. */
    lost: () => lost,
  };
}

const LINE_FEED = 10;
