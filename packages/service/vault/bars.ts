import { and, eq, gt, ilike, isNull, sql as expression } from "drizzle-orm";
import { type AnySql, drizzle } from "@sabika/database";
import type { RefinerList } from "@sabika/terms";
import { vaultBars } from "./tables.ts";

/** A bar in the vault (Decision D39). */
export type Bar = Omit<typeof vaultBars.$inferSelect, "addedAt" | "removedAt">;

/** What is known of a bar besides what is stamped on it; all of it may be left out. */
type Surroundings = Pick<Bar, "vault" | "place" | "document" | "documents" | "year">;

/** A bar as it is entered; its fine weight follows. */
export type NewBar =
  & Pick<Bar, "serial" | "refiner" | "finenessTenThousandths" | "weightMicrograms">
  & Partial<Surroundings>
  /** The list that its refiner is said to be on. */
  & { readonly list?: RefinerList };

/** The least fineness of bars and coins that are traded as bullion: 916, of 22 karat. */
export const LEAST_FINENESS_TEN_THOUSANDTHS = 9_160;
/** The heaviest bar on the market, of 400 oz, weighs less than 14 kg. */
export const HEAVIEST_MICROGRAMS = 20_000_000_000n;

/** A bar, and when it was added, epoch milliseconds. */
export interface BarInVault extends Bar {
  readonly addedAtMs: number;
}

/** The bars in the vault, or in a place of it, of all pools or of one, by serial. */
export async function listBars(
  sql: AnySql,
  place?: string,
  poolId?: string,
): Promise<BarInVault[]> {
  const rows = await drizzle(sql).select().from(vaultBars)
    .where(and(
      isNull(vaultBars.removedAt),
      place === undefined ? undefined : eq(vaultBars.place, place),
      poolId === undefined ? undefined : eq(vaultBars.poolId, poolId),
    )).orderBy(vaultBars.serial);
  return rows.map(({ addedAt, ...bar }) => ({ ...bar, addedAtMs: addedAt }));
}

/** Which bars {@linkcode searchBars} lists. */
export interface BarSearch {
  readonly pool?: string | undefined;
  /** A part of the serial; upper and lower case are the same. */
  readonly part?: string | undefined;
  /** The serial that those listed come after. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Lists bars in the vault by serial, as many as `limit`. */
export async function searchBars(
  sql: AnySql,
  { pool, part, after, limit }: BarSearch,
): Promise<BarInVault[]> {
  const rows = await drizzle(sql).select().from(vaultBars)
    .where(and(
      isNull(vaultBars.removedAt),
      pool === undefined ? undefined : eq(vaultBars.poolId, pool),
      part === undefined
        ? undefined
        : ilike(vaultBars.serial, `%${part.replace(/[\\%_]/g, "\\$&")}%`),
      after === undefined ? undefined : gt(vaultBars.serial, after),
    )).orderBy(vaultBars.serial).limit(limit);
  return rows.map(({ addedAt, ...bar }) => ({ ...bar, addedAtMs: addedAt }));
}

/** Finds the serials of bars, also of those that have left, that are a text in upper or lower case. */
export async function findBarSerials(sql: AnySql, text: string): Promise<string[]> {
  const rows = await drizzle(sql).select({ serial: vaultBars.serial }).from(vaultBars)
    .where(expression`lower(${vaultBars.serial}) = lower(${text})`).orderBy(vaultBars.serial);
  return rows.map(({ serial }) => serial);
}

/** Whether a text can be a bar's serial. */
export const isSerial = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9 ./_-]{0,63}$/.test(text);

/** Whether a text can be the name of a place. */
export const isPlace = (text: string): boolean => isShortText(text, 64);
/** Whether a text can be a name or the reference of a document: 1 to 128 characters on one line. */
export const isLine = (text: string): boolean => isShortText(text, 128);

/** Whether a text can be the SHA-256 of a document: hex, in lower case. */
export const isDocumentHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

/** Why a place is refused. */
export const WRONG_PLACE = "a place has 1 to 64 characters on one line";

/** Whether a text has 1 to `most` characters on one line. */
const isShortText = (text: string, most: number) =>
  text.length <= most && /^\S(?:[^\p{Cc}]*\S)?$/u.test(text);

/** Most bars have three documents. */
const MOST_DOCUMENTS = 16;

/** Returns why a bar cannot be entered; undefined when it can. */
export function checkBar(bar: NewBar): string | undefined {
  if (!isSerial(bar.serial)) {
    return "a serial has 1 to 64 letters, digits and . / _ -";
  }
  if (bar.refiner.trim() === "" || bar.refiner.length > 128) {
    return "the refiner has 1 to 128 characters";
  }
  if (
    bar.finenessTenThousandths < LEAST_FINENESS_TEN_THOUSANDTHS ||
    bar.finenessTenThousandths > 10_000
  ) {
    return "the fineness is 916 to 1000 parts in a thousand";
  }
  if (bar.weightMicrograms <= 0n || bar.weightMicrograms > HEAVIEST_MICROGRAMS) {
    return "a bar weighs more than 0 and at most 20000 grams";
  }
  if (bar.place != null && !isPlace(bar.place)) return WRONG_PLACE;
  if (bar.vault != null && !isPlace(bar.vault)) return "a vault has 1 to 64 characters on one line";
  const { documents = [] } = bar;
  if (documents.length > MOST_DOCUMENTS || !documents.every(isDocumentHash)) {
    return `the documents are at most ${MOST_DOCUMENTS} SHA-256 of 64 hexadecimal digits`;
  }
  if (bar.year != null && !(bar.year >= 1800 && bar.year <= 2200)) {
    return "the year of a bar has four digits";
  }
  if (bar.document != null && !isLine(bar.document)) {
    return "the reference of a document has 1 to 128 characters on one line";
  }
  return undefined;
}

/** Returns what bars weigh together, in fine micrograms. */
export function sumFine(bars: readonly { readonly fineMicrograms: bigint }[]): bigint {
  return bars.reduce((sum, { fineMicrograms }) => sum + fineMicrograms, 0n);
}
