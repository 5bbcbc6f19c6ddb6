import { formatDecimal, formatMicrograms } from "@sabika/protocol";
import { readAccountsOf } from "../bookings/booking.ts";
import { change, context, type Dossier, type Line, line, type Value } from "./line.ts";
import { type Describe, ofPartner, type Subject } from "./subject.ts";

const grams = (micrograms: bigint): Value => ({ grams: formatMicrograms(micrograms) });

interface Bar {
  readonly refiner: string;
  readonly fineness: bigint;
  readonly weight: bigint;
  readonly place?: string | null | undefined;
  readonly document?: string | null | undefined;
}

/** Parts in ten thousand: 9999 is 999.9. */
const WHOLE_FINENESS = 10_000n;

const barLines = (serial: string, bar: Bar): Dossier => {
  const { refiner, fineness, weight, place, document } = bar;
  return [
    line("serial", { text: serial }),
    line("refiner", { text: refiner }),
    line("fineness", { text: formatDecimal(fineness, 1) }),
    line("weight", grams(weight)),
    line("fine_weight", grams(weight * fineness / WHOLE_FINENESS)),
    ...place == null ? [] : [line("place", { text: place })],
    ...document == null ? [] : [line("document", { text: document })],
  ];
};

/** A bar that comes in. */
export const describeNewBar: Describe<{
  readonly serial: string;
  readonly refiner: string;
  readonly fineness: bigint;
  readonly weight_grams: bigint;
  readonly place: string | undefined;
  readonly document: string | undefined;
}> = async (subject) => {
  const { serial, weight_grams: weight, ...bar } = subject.input;
  return [...barLines(serial, { ...bar, weight }), await freeLine(subject)];
};

/** A bar that goes out. */
export const describeBar: Describe<{ readonly serial: string }> = async (subject) => {
  const { serial } = subject.input;
  const bar = await readBar(subject);
  if (bar === undefined) return [line("serial", { text: serial })];
  return [...barLines(serial, bar), await freeLine(subject)];
};

/** A bar that lies elsewhere from now on. */
export const describeMove: Describe<{ readonly serial: string; readonly place: string }> = async (
  subject,
) => {
  const { serial, place } = subject.input;
  const bar = await readBar(subject);
  if (bar === undefined) return [line("serial", { text: serial })];
  const { place: before, ...others } = bar;
  const was: Value = before === null ? { word: "none" } : { text: before };
  return [...barLines(serial, others), change("place", was, { text: place })];
};

async function readBar({ control, input: { serial } }: Subject<{ readonly serial: string }>) {
  interface Row {
    readonly refiner: string;
    readonly fineness: bigint;
    readonly weight: bigint;
    readonly place: string | null;
    readonly document: string | null;
  }
  const [bar] = await control<Row[]>`
    select refiner, fineness_ten_thousandths::bigint as fineness, weight_micrograms as weight, place, document
    from vault_bars where serial = ${serial} and removed_at is null`;
  return bar && { ...bar, fineness: BigInt(bar.fineness), weight: BigInt(bar.weight) };
}

/** Gold of the vault that a partner may sell from now on, or may not any more. */
export const describeGrant = (
  kind: "allocate" | "release",
): Describe<{ readonly grams: bigint }> =>
  ofPartner(async (subject) => {
    const { input: { grams: micrograms }, partner: { partnerId }, cell } = subject;
    const accounts = await readAccountsOf(cell, partnerId);
    const before = accounts?.allocationMicrograms ?? 0n;
    const after = kind === "allocate" ? before + micrograms : before - micrograms;
    return [
      line("gold", grams(micrograms)),
      // Each order changes it, so that no request could depend on it.
      { ...change("allocated", grams(before), grams(after)), context: true },
      await freeLine(subject),
    ];
  });

async function freeLine({ control }: Pick<Subject<unknown>, "control">): Promise<Line> {
  const [row] = await control<{ free: string }[]>`
    select sum(bars_micrograms - allocated_micrograms)::text as free from vault`;
  return context("free", grams(BigInt(row!.free)));
}
