import { CsvError, parse } from "csv-parse/sync";
import { formatDecimal, parseDecimal } from "@sabika/protocol";
import { REFINER_LISTS, type RefinerList } from "./refiner_lists.ts";

/** A bar of a list of new bars, as `vault.bars.add` takes it: amounts as texts. */
export interface WeightListBar {
  readonly serial: string;
  readonly refiner: string;
  /** Parts in a thousand, at most 1 decimal. */
  readonly fineness: string;
  /** Gross grams, at most 6 decimals: lists weigh in ounces too. */
  readonly weight_grams: string;
  readonly vault?: string;
  readonly place?: string;
  readonly document?: string;
  /** SHA-256 of documents. */
  readonly documents?: readonly string[];
  /** Of its making, if it is stamped on the bar. */
  readonly year?: string;
  /** The list that its refiner is on; a bar is refused if that is not so. */
  readonly list?: RefinerList;
}

const isList = (text: string): text is RefinerList =>
  text === "unlisted" || (REFINER_LISTS as readonly string[]).includes(text);

/** The bars of a weight list, or what is wrong with it, and in which line. */
export type WeightList =
  | { readonly ok: true; readonly bars: readonly WeightListBar[] }
  | { readonly ok: false; readonly line: number; readonly detail: string };

/** A line of a weight list: its bar, or what is wrong with it. */
export interface WeightListLine {
  /** From 1; the head is line 1. */
  readonly line: number;
  /** As far as the line has one. */
  readonly serial: string;
  readonly bar?: WeightListBar;
  readonly detail?: string;
}

/** All lines of a weight list, or what is wrong with its head or its form. */
export type WeightListLines =
  | { readonly ok: true; readonly lines: readonly WeightListLine[] }
  | { readonly ok: false; readonly line: number; readonly detail: string };

/** The columns, by the names that lists give them, letters and digits alone. */
const COLUMNS: ReadonlyMap<string, Column> = new Map<string, Column>([
  ...named("serial", "serialnumber", "barnumber"),
  ...named("refiner", "brandcode", "brand"),
  ...named("gross_ounces", "grossweighttroyounces", "grossoz"),
  ...named("gross_grams", "grossweightgrams", "weightgrams"),
  ...named("fineness", "assay"),
  ...named("fine_ounces", "fineweighttroyounces", "fineoz"),
  ...named("fine_grams", "fineweightgrams"),
  ...named("year", "yearofmanufacture", "yearofmanufactureifstampedonthebar"),
  ...named("vault"),
  ...named("place"),
  ...named("document"),
  ...named("documents", "sha256"),
  ...named("list", "refinerlist"),
]);

type Column = (typeof WRITTEN)[number];

/** The columns of a list that is written; both units. */
const WRITTEN = [
  "serial",
  "refiner",
  "gross_ounces",
  "gross_grams",
  "fineness",
  "fine_ounces",
  "fine_grams",
  "vault",
  "place",
  "document",
  "documents",
  "year",
  "list",
] as const;

function named(column: Column, ...others: string[]): [string, Column][] {
  return [column, ...others].map((name) => [plain(name), column]);
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** Tenths of a microgram in a troy ounce of 31.1034768 g (Decision D94). */
const OUNCE = 311_034_768n;

/** Thousandths of a troy ounce, the nearest: the finest that the London market writes. */
const ounces = (micrograms: bigint) => (20_000n * micrograms + OUNCE) / (2n * OUNCE);

/** Micrograms, rounded down. */
const micrograms = (thousandths: bigint) => thousandths * OUNCE / 10_000n;

/**
 * Fine thousandths of an ounce, rounded as in the fine weights that the London market agreed for bars of 100 g and more:
 * to four decimals, and from these to three.
 *
 * @param gross of which `unit` make an ounce
 * @param fineness in parts of ten thousand
 */
function fineOunces(gross: bigint, unit: bigint, fineness: bigint): bigint {
  const tenThousandths = (2n * gross * fineness + unit) / (2n * unit);
  return (tenThousandths + 5n) / 10n;
}

/**
 * Reads a weight list: CSV in the form of the London market (serial number, brand code, gross weight, assay, fine
 * weight), in troy ounces or grams. The fine weight, where it is given, must be what gross weight and assay make.
 *
 * @returns for the first line that is wrong its number, from 1, and why
 */
export function readWeightList(text: string): WeightList {
  const list = readWeightListLines(text);
  if (!list.ok) return list;
  const bars: WeightListBar[] = [];
  for (const { line, bar, detail = "" } of list.lines) {
    if (bar === undefined) return { ok: false, line, detail };
    bars.push(bar);
  }
  return { ok: true, bars };
}

/** Reads each line of a weight list, as {@linkcode readWeightList} does, also after one that is wrong. */
export function readWeightListLines(text: string): WeightListLines {
  let rows: Row[];
  try {
    rows = parse(text, {
      bom: true,
      trim: true,
      skip_empty_lines: true,
      info: true,
      relax_column_count: true,
      delimiter: [",", ";", "\t"],
    }) as unknown as Row[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return { ok: false, line: Number(error["lines"] ?? 1), detail: NO_CSV };
  }
  const [head, ...lines] = rows;
  if (head === undefined) return { ok: false, line: 1, detail: "is empty" };
  const columns = head.record.map((name) => COLUMNS.get(plain(name)));
  const unknown = columns.indexOf(undefined);
  if (unknown >= 0) {
    return {
      ok: false,
      line: 1,
      detail: `has the column ${head.record[unknown]}, which is not known`,
    };
  }
  for (const needed of ["serial", "refiner", "fineness"] as const) {
    if (!columns.includes(needed)) return { ok: false, line: 1, detail: `has no column ${needed}` };
  }
  return {
    ok: true,
    lines: lines.map(({ record, info: { lines: line } }) => {
      const cells = new Map(record.map((cell, index) => [columns[index]!, cell]));
      const serial = cells.get("serial") ?? "";
      const bar = record.length === columns.length ? readBar(cells) : NO_CSV;
      return typeof bar === "string" ? { line, serial, detail: bar } : { line, serial, bar };
    }),
  };
}

const NO_CSV = "is no CSV of as many columns as the first line";

interface Row {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/** A line's bar, or what is wrong with it. */
function readBar(cells: ReadonlyMap<Column, string>): WeightListBar | string {
  const cell = (column: Column) => cells.get(column) || undefined;
  const [serial, refiner, assay] = [cell("serial"), cell("refiner"), cell("fineness")];
  if (serial === undefined || refiner === undefined) return "has no serial or no refiner";
  const fineness = parseDecimal(assay ?? "", 1, 1);
  if (!fineness.ok) return "has no fineness in parts of a thousand, such as 995.8";
  const [inOunces, inGrams] = [number(cell("gross_ounces"), 3), number(cell("gross_grams"), 6)];
  if (inOunces === null) return "has gross ounces that are no number with at most 3 decimals";
  if (inGrams === null) return "has gross grams that are no number with at most 6 decimals";
  const weight = inGrams ?? (inOunces === undefined ? undefined : micrograms(inOunces));
  if (weight === undefined) return "has no gross weight";
  const gross = ounces(weight);
  if (inOunces !== undefined && gross !== inOunces) {
    return `has ${fixed(inOunces, 3)} gross ounces, but its grams are ${fixed(gross, 3)}`;
  }
  const stated = number(cell("fine_ounces"), 3);
  const fine = inOunces === undefined
    ? fineOunces(10n * weight, OUNCE, fineness.value)
    : fineOunces(inOunces, 1_000n, fineness.value);
  // Lists round in more than one way, never by more than the last digit.
  if (stated !== undefined && (stated === null || stated < fine - 1n || stated > fine + 1n)) {
    return `has other fine ounces than ${fixed(fine, 3)}, which gross weight and fineness make`;
  }
  const fineGrams = number(cell("fine_grams"), 6);
  const fineWeight = weight * fineness.value / 10_000n;
  if (fineGrams !== undefined && fineGrams !== fineWeight) {
    return `has other fine grams than ${
      formatDecimal(fineWeight, 6)
    }, which gross weight and fineness make`;
  }
  const documents = cell("documents")?.toLowerCase().split(/\s+/);
  const [vault, place, document] = [cell("vault"), cell("place"), cell("document")];
  const [year, list] = [cell("year"), cell("list")];
  if (year !== undefined && !/^\d{4}$/.test(year)) return "has a year that is not of four digits";
  if (list !== undefined && !isList(list)) {
    return `has a list that is none of ${[...REFINER_LISTS, "unlisted"].join(", ")}`;
  }
  return {
    serial,
    refiner,
    fineness: formatDecimal(fineness.value, 1),
    weight_grams: formatDecimal(weight, 6),
    ...vault !== undefined && { vault },
    ...place !== undefined && { place },
    ...document !== undefined && { document },
    ...documents !== undefined && { documents },
    ...year !== undefined && { year },
    ...list !== undefined && { list },
  };
}

/** A number above zero; undefined without one, null if it is none. */
function number(text: string | undefined, decimals: number): bigint | null | undefined {
  if (text === undefined) return undefined;
  const read = parseDecimal(text, decimals, decimals);
  return read.ok && read.value > 0n ? read.value : null;
}

/** A bar as the vault has it, in micrograms and parts in ten thousand. */
export interface WeighedBar {
  readonly serial: string;
  readonly refiner: string;
  readonly finenessTenThousandths: number;
  readonly weightMicrograms: bigint;
  readonly fineMicrograms: bigint;
  readonly vault: string | null;
  readonly place: string | null;
  readonly document: string | null;
  readonly documents: readonly string[];
  readonly year: number | null;
  /** Null if it is not known. */
  readonly refinerList: RefinerList | null;
}

/** With all decimals, also zeros, as that market writes them. */
function fixed(value: bigint, decimals: number): string {
  const digits = String(value).padStart(decimals + 1, "0");
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** The first line of a list that is written. */
export const WEIGHT_LIST_HEAD: readonly string[] = WRITTEN;

/** The cells of a bar in a list that is written: troy ounces to the nearest thousandth, and grams as they are. */
export function weightListLine(bar: WeighedBar): (string | null)[] {
  const gross = ounces(bar.weightMicrograms);
  const fineness = BigInt(bar.finenessTenThousandths);
  return [
    bar.serial,
    bar.refiner,
    fixed(gross, 3),
    formatDecimal(bar.weightMicrograms, 6),
    fixed(fineness, 1),
    fixed(fineOunces(10n * bar.weightMicrograms, OUNCE, fineness), 3),
    formatDecimal(bar.fineMicrograms, 6),
    bar.vault,
    bar.place,
    bar.document,
    bar.documents.length === 0 ? null : bar.documents.join(" "),
    bar.year === null ? null : String(bar.year),
    bar.refinerList,
  ];
}
