import { formatMicrograms } from "@sabika/protocol";
import {
  checkInspection,
  compareCount,
  type CountLine,
  fineFound,
  listBars,
  listOpenDifferences,
  type OpenDifference,
  readAttestationKeys,
  type Seen,
  sumFine,
} from "@sabika/service/vault";
import { readSeen } from "../seen_bars.ts";
import { grams } from "./gold_lines.ts";
import { change, line } from "./line.ts";
import type { Describe } from "./subject.ts";

/** What was seen where a custodian counted, against what the list has there. */
export const describeCount: Describe<{
  readonly place: string | undefined;
  readonly bars: readonly string[];
  readonly unexpected: readonly string[] | undefined;
  readonly pool: string | undefined;
}> = async ({ input: { place, bars, unexpected = [], pool }, control }) => {
  const list = await listBars(control, place, pool);
  // What is no bar, or on no list, the act refuses.
  const seen = bars.flatMap((bar): Seen["bars"] => {
    const read = readSeen(bar);
    return read === undefined ? [] : [read];
  });
  const lines = compareCount(list, { bars: seen, unexpected });
  const those = (finding: CountLine["finding"], write = ({ serial }: CountLine) => serial) => ({
    texts: lines.filter((line) => line.finding === finding).map(write),
  });
  const expectedMicrograms = sumFine(list);
  const foundMicrograms = lines.reduce((sum, line) => sum + fineFound(line), 0n);
  return [
    ...pool === undefined ? [] : [line("pool", { text: pool })],
    line("place", place === undefined ? { word: "whole_vault" } : { text: place }),
    line("bars_expected", { count: list.length }),
    line("bars_found", { count: lines.filter(({ isSeen, refiner }) => isSeen && refiner).length }),
    line("bars_weighed", {
      texts: lines.flatMap(({ serial, weighedMicrograms }) =>
        weighedMicrograms === null ? [] : serial
      ),
    }),
    change("fine_found", grams(expectedMicrograms), grams(foundMicrograms)),
    line("bars_missing", those("missing")),
    line("bars_unexpected", those("unexpected")),
    line("bars_different", those("different", weighedOf)),
  ];
};

const weighedOf = ({ serial, weightMicrograms, weighedMicrograms }: CountLine) =>
  `${serial}: ${formatMicrograms(weightMicrograms!)} g, ${formatMicrograms(weighedMicrograms!)} g`;

/** What a count found that two people accept, and why. */
export const describeAcceptance: Describe<{
  readonly count: string;
  readonly reason: string;
}> = async ({ input: { count, reason }, control }) => {
  const open = await listOpenDifferences(control);
  const those = (finding: OpenDifference["finding"]) => ({
    texts: open.flatMap((found) =>
      found.countId === count && found.finding === finding ? [found.serial] : []
    ),
  });
  return [
    line("count", { text: count }),
    line("bars_missing", those("missing")),
    line("bars_unexpected", those("unexpected")),
    line("bars_different", those("different")),
    line("reason", { text: reason }),
  ];
};

/** A count that an inspector signed, and whose key that is. */
export const describeInspection: Describe<{
  readonly count: string;
  readonly signature: string;
}> = async ({ input: { count: countId, signature }, control }) => {
  const keys = await readAttestationKeys(control);
  const checked = await checkInspection(control, {
    countId,
    signature: signature.trim(),
    keys,
  });
  const named = line("count", { text: countId });
  // What is no signature, the act refuses.
  if (!checked.ok) return [named];
  const { count, key } = checked;
  return [
    named,
    line("pool", { text: count.pool }),
    line("place", count.place === null ? { word: "whole_vault" } : { text: count.place }),
    line("bars_found", { count: count.found.length + count.different.length }),
    line("bars_missing", { texts: count.missing }),
    line("bars_different", { texts: count.different }),
    line("holder", { text: key.holder }),
    line("key_id", { text: key.keyId }),
  ];
};
