import { parseDecimal } from "@sabika/protocol";
import { isSerial, type Seen } from "@sabika/service/vault";
import { type Argument, texts } from "./arguments.ts";

/** Bars that were seen, each by its serial, and `SERIAL=GRAMS` where it was weighed. */
export const seenBars: Argument<readonly string[]> = {
  ...texts,
  shape: {
    type: "array",
    items: {
      type: "string",
      description: "A serial; SERIAL=GRAMS for a bar that was weighed, gross, at most 6 decimals.",
    },
  },
  mistakeIn: (bars) => mistakeIn(bars, "wrong_bar", (bar) => readSeen(bar) !== undefined),
};

/** Serials of bars that were seen and were not expected. */
export const unexpectedBars: Argument<readonly string[]> = {
  ...texts,
  mistakeIn: (bars) => mistakeIn(bars, "wrong_bar", isSerial),
};

const serialOf = (bar: string): string => bar.split("=")[0]!;

/** Reads an entry of {@linkcode seenBars}; undefined for any other text. */
export function readSeen(bar: string): Seen["bars"][number] | undefined {
  const serial = serialOf(bar);
  if (!isSerial(serial)) return undefined;
  if (serial === bar) return { serial };
  const weighed = parseDecimal(bar.slice(serial.length + 1), 6, 6);
  return weighed.ok && weighed.value > 0n
    ? { serial, weighedMicrograms: weighed.value }
    : undefined;
}

function mistakeIn(
  bars: readonly string[],
  code: "wrong_bar",
  isRight: (bar: string) => boolean,
) {
  const wrong = bars.find((bar) => !isRight(bar));
  if (wrong !== undefined) return { code, which: wrong };
  const serials = bars.map(serialOf);
  const twice = serials.find((serial, at) => serials.indexOf(serial) !== at);
  return twice === undefined ? undefined : { code: "twice" as const, which: twice };
}
