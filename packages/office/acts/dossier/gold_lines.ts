import { formatDecimal, formatMicrograms } from "@sabika/protocol";
import type { AnySql } from "@sabika/database";
import { MAIN_POOL, readPoolOf } from "@sabika/service/vault";
import { readAccountsOf } from "../bookings/booking.ts";
import { change, context, type Dossier, type Line, line, type Value } from "./line.ts";
import { refinerLines } from "./refiner_lines.ts";
import { type Describe, ofPartner, type Subject } from "./subject.ts";

export const grams = (micrograms: bigint): Value => ({ grams: formatMicrograms(micrograms) });

/** A bar as dossiers write it. */
export interface Bar {
  readonly refiner: string;
  readonly fineness: bigint;
  readonly weight: bigint;
  readonly place?: string | null | undefined;
  readonly document?: string | null | undefined;
  readonly vault?: string | null | undefined;
  readonly documents?: readonly string[] | null | undefined;
  readonly pool?: string | undefined;
}

/** Parts in ten thousand: 9999 is 999.9. */
const WHOLE_FINENESS = 10_000n;

/** The lines of a bar; `main` is not named. */
export const barLines = (serial: string, bar: Bar): Dossier => {
  const { refiner, fineness, weight, place, document, vault, documents, pool } = bar;
  return [
    line("serial", { text: serial }),
    line("refiner", { text: refiner }),
    line("fineness", { text: formatDecimal(fineness, 1) }),
    line("weight", grams(weight)),
    line("fine_weight", grams(weight * fineness / WHOLE_FINENESS)),
    ...vault == null ? [] : [line("vault", { text: vault })],
    ...place == null ? [] : [line("place", { text: place })],
    ...document == null ? [] : [line("document", { text: document })],
    ...documents == null || documents.length === 0
      ? []
      : [line("documents", { texts: [...documents] })],
    ...pool === undefined || pool === MAIN_POOL ? [] : [line("pool", { text: pool })],
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
  readonly vault: string | undefined;
  readonly documents: readonly string[] | undefined;
  readonly pool: string | undefined;
}> = async (subject) => {
  const { serial, weight_grams: weight, ...bar } = subject.input;
  return [
    ...barLines(serial, { ...bar, weight }),
    ...await refinerLines(subject.control, [bar.refiner]),
    await freeLine(subject.control, bar.pool),
  ];
};

/** A bar that goes out. */
export const describeBar: Describe<{ readonly serial: string }> = async (subject) => {
  const { serial } = subject.input;
  const bar = await readBar(subject);
  if (bar === undefined) return [line("serial", { text: serial })];
  return [...barLines(serial, bar), await freeLine(subject.control, bar.pool)];
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

/** Reads the bar of an act in control; undefined when it is not in the vault. */
export async function readBar(
  { control, input: { serial } }: Subject<{ readonly serial: string }>,
) {
  interface Row {
    readonly refiner: string;
    readonly fineness: bigint;
    readonly weight: bigint;
    readonly place: string | null;
    readonly document: string | null;
    readonly vault: string | null;
    readonly documents: string[];
    readonly pool: string;
  }
  const [bar] = await control<Row[]>`
    select refiner, fineness_ten_thousandths::bigint as fineness, weight_micrograms as weight, place, document,
      vault, to_json(documents) as documents, pool_id as pool
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
      await freeLine(subject.control, await readPoolOf(subject.control, partnerId)),
    ];
  });

/** How much gold of a pool is allocated to nobody. */
export async function freeLine(control: AnySql, pool: string = MAIN_POOL): Promise<Line> {
  const [row] = await control<{ free: string }[]>`
    select (bars_micrograms - allocated_micrograms)::text as free from vault where pool_id = ${pool}`;
  return context("free", grams(BigInt(row?.free ?? 0)));
}
