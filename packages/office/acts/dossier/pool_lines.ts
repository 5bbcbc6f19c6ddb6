import { formatDecimal, formatMicrograms } from "@sabika/protocol";
import { textArray } from "@sabika/database";
import { MAIN_POOL, type NewBar, readPoolOf } from "@sabika/service/vault";
import type { WeightListBar } from "@sabika/terms/weight-list";
import { fineOf, readNewBars } from "../new_bars.ts";
import { barLines, freeLine, grams, readBar } from "./gold_lines.ts";
import { change, type Dossier, type Line, line } from "./line.ts";
import { refinerLines } from "./refiner_lines.ts";
import { type Describe, ofPartner } from "./subject.ts";

/** What bars have besides their stamps: once where all have the same, else by serial. */
function lineOfEach(
  name: Line["name"],
  bars: readonly NewBar[],
  read: (bar: NewBar) => string | number | null | undefined,
): Dossier {
  const texts = bars.map((bar) => String(read(bar) ?? ""));
  const [first = ""] = texts;
  if (texts.every((text) => text === first)) {
    return first === "" ? [] : [line(name, { text: first })];
  }
  const known = bars.flatMap(({ serial }, n) => texts[n] === "" ? [] : `${serial}: ${texts[n]}`);
  return [line(name, { texts: known })];
}

/** Each bar with all that is said of it, and what they weigh together; its list is that of its refiner. */
function newBarLines(bars: readonly NewBar[]): Dossier {
  return [
    line("bars_new", { count: bars.length }),
    line("fine_weight", grams(bars.reduce((sum, bar) => sum + fineOf(bar), 0n))),
    line("bars_list", {
      texts: bars.map((bar) =>
        `${bar.serial} (${bar.refiner}): ${formatMicrograms(bar.weightMicrograms)} g, ` +
        formatDecimal(BigInt(bar.finenessTenThousandths), 1)
      ),
    }),
    ...lineOfEach("vault", bars, ({ vault }) => vault),
    ...lineOfEach("place", bars, ({ place }) => place),
    ...lineOfEach("document", bars, ({ document }) => document),
    ...lineOfEach("documents", bars, ({ documents }) => documents?.join(", ")),
    ...lineOfEach("year", bars, ({ year }) => year),
  ];
}

/** Bars that come in together. */
export const describeNewBars: Describe<{
  readonly pool: string | undefined;
  readonly bars: readonly WeightListBar[];
}> = async ({ input: { pool = MAIN_POOL, bars }, control }) => [
  line("pool", { text: pool }),
  ...newBarLines(readNewBars(bars)),
  ...await refinerLines(control, bars.map(({ refiner }) => refiner)),
  await freeLine(control, pool),
];

/** Bars that go out, and those that come in for them. */
export const describeReplacement: Describe<{
  readonly serials: readonly string[];
  readonly bars: readonly WeightListBar[];
}> = async ({ input: { serials, bars }, control }) => {
  const [row] = await control<{ fine: string; pools: string[] }[]>`
    select coalesce(sum(fine_micrograms), 0)::text as fine, coalesce(json_agg(distinct pool_id), '[]') as pools
    from vault_bars where serial = any (${textArray([...serials])}::text[]) and removed_at is null`;
  const read = readNewBars(bars);
  const [, fine, ...others] = newBarLines(read);
  return [
    line("pool", { texts: row!.pools }),
    line("bars_old", { texts: serials }),
    line("bars_new", { count: read.length }),
    { ...fine!, was: grams(BigInt(row!.fine)) },
    ...others,
    ...await refinerLines(control, bars.map(({ refiner }) => refiner)),
  ];
};

/** A bar that does not count from now on, and why. */
export const describeEncumbrance: Describe<{
  readonly serial: string;
  readonly reason: string;
  readonly document_sha256: string | undefined;
}> = async (subject) => {
  const { serial, reason, document_sha256: document } = subject.input;
  const bar = await readBar(subject);
  return [
    ...bar === undefined ? [line("serial", { text: serial })] : barLines(serial, bar),
    line("reason", { text: reason }),
    ...document === undefined ? [] : [line("document_sha256", { text: document })],
    await freeLine(subject.control, bar?.pool),
  ];
};

/** A pool without bars. */
export const describeNewPool: Describe<{ readonly pool: string }> = ({ input: { pool } }) => [
  line("pool", { text: pool }),
];

/** The pool that a partner draws on from now on. */
export const describePool: Describe<{ readonly pool: string }> = ofPartner(
  async ({ input: { pool }, partner: { partnerId }, control }) => [
    change("pool", { text: await readPoolOf(control, partnerId) }, { text: pool }),
  ],
);
