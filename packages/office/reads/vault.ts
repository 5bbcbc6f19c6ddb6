import { UUID } from "@sabika/terms";
import {
  BAR,
  BAR_WHOLE,
  REFINER,
  VAULT,
  VAULT_COUNT,
  VAULT_COUNT_WHOLE,
  VAULT_DIFFERENCE,
} from "../wire/mod.ts";
import { type Column, names, POOL_COLUMN } from "./columns.ts";
import { cursorLike, firstPart } from "./merge.ts";
import { paged, type Read, single, whole } from "./read.ts";

const PLACE: Column = { head: "PLACE", en: "Vault and place", ar: "الخزنة والموضع" };
const COUNTED_AT: Column = { head: "COUNTED", en: "Counted (Riyadh)", ar: "وقت الجرد (الرياض)" };

/** The bars in the vault. */
export const BARS = whole({
  path: "/vault/bars",
  act: "custody.read",
  summary: "The bars in the vault",
  form: BAR,
  columns: {
    serial: { head: "SERIAL", en: "Serial", ar: "الرقم التسلسلي" },
    refiner: { head: "REFINER", en: "Refiner", ar: "المصفاة" },
    fineness: { head: "FINENESS", en: "Fineness", ar: "العيار" },
    weight_grams: { head: "WEIGHT g", en: "Gross weight (g)", ar: "الوزن القائم (غ)" },
    fine_grams: { head: "FINE g", en: "Fine weight (g)", ar: "الوزن الصافي (غ)" },
    place: PLACE,
    document: { head: null, en: "Document", ar: "المستند" },
    added_at: { head: "ADDED", en: "Added (Riyadh)", ar: "أُضيفت (الرياض)" },
    pool: POOL_COLUMN,
    encumbrance: { head: "ENCUMBERED", en: "Why it does not count", ar: "سبب عدم احتسابها" },
  },
  page: {
    path: "/vault",
    columns: names(
      "serial, pool, refiner, fineness, weight_grams, fine_grams, place, document, encumbrance, added_at",
    ),
    file: names(
      "serial, refiner, fineness, weight_grams, fine_grams, added_at, place, document, pool, encumbrance",
    ),
    caption: { en: "Bars", ar: "السبائك" },
    nothing: { en: "None", ar: "لا شيء" },
  },
  command: {
    noun: "vault bar",
    verb: "list",
    brief: "List the bars in the vault",
    examples: ["vault bar list"],
  },
  async find({ database: { sql } }) {
    const { listBars } = await import("@sabika/service/vault");
    return await listBars(sql);
  },
});

const BAR_COLUMNS = BARS.columns!;

/** A bar, also one that has left, with what became of it. */
export const BAR_OF = single({
  path: "/vault/bars/{serial}",
  act: "custody.read",
  summary: "A bar, also one that has left the vault, with what became of it",
  form: BAR_WHOLE,
  columns: {
    ...BAR_COLUMNS,
    vault: { head: "VAULT", en: "Vault", ar: "الخزنة" },
    removed_at: { head: "LEFT", en: "Left (Riyadh)", ar: "خرجت (الرياض)" },
    refiner_list: { head: "REFINER'S LIST", en: "The refiner's list", ar: "قائمة المصفاة" },
    sourcing_sha256: {
      head: null,
      en: "SHA-256 of the document about sourcing",
      ar: "بصمة SHA-256 لمستند مصدر الذهب",
    },
    year: { head: "YEAR", en: "Year of making", ar: "سنة الصنع" },
  },
  command: {
    noun: "vault bar",
    verb: "show",
    brief: "Show a bar, also one that has left; with --json also what became of it",
    examples: ["vault bar show SA-0001"],
    argument: ["SERIAL", "The number on the bar"],
  },
  async find({ database: { sql }, path }) {
    const { findBar } = await import("@sabika/service/vault");
    return await findBar(sql, path["serial"]!);
  },
});

/** The gold in the vault, and how much of it each partner has. */
export const THE_VAULT = single({
  path: "/vault",
  act: "vault.read",
  summary: "The gold, and whose it is",
  form: VAULT,
  async find({ cells, now }) {
    const { listLastCounts, readVaultReport } = await import("@sabika/service/vault");
    const [control, ...others] = await cells.all();
    return {
      ...await readVaultReport(control.sql, others.map(({ sql }) => sql)),
      lastCounts: await listLastCounts(control.sql, now()),
    };
  },
});

const COUNT_COLUMNS: Readonly<Record<string, Column>> = {
  id: { head: "COUNT", en: "Count", ar: "الجرد" },
  counted_at: COUNTED_AT,
  place: PLACE,
  pool: POOL_COLUMN,
  version: { head: "VERSION", en: "Version of the pool", ar: "إصدار المجمّع" },
  sha256: { head: null, en: "SHA-256 of the count", ar: "بصمة SHA-256 للجرد" },
  counted_by: { head: "BY", en: "Counted by", ar: "أجراه" },
  inspected_by: { head: "INSPECTED BY", en: "Signed by the inspector", ar: "وقّعه المفتّش" },
  expected: { head: "EXPECTED", en: "Bars on the list", ar: "السبائك في القائمة" },
  found: { head: "FOUND", en: "Of these seen", ar: "شوهد منها" },
  missing: { head: "MISSING", en: "Missing", ar: "المفقودة" },
  unexpected: { head: "NOT EXPECTED", en: "Not expected", ar: "غير المتوقعة" },
  different: { head: "WEIGHT DIFFERS", en: "Weight differs", ar: "الوزن مختلف" },
  expected_fine_grams: {
    head: "EXPECTED FINE g",
    en: "Fine weight of the list (g)",
    ar: "الوزن الصافي في القائمة (غ)",
  },
  found_fine_grams: {
    head: "FOUND FINE g",
    en: "Fine weight found (g)",
    ar: "الوزن الصافي الذي وُجد (غ)",
  },
};

/** Counts of bars. */
export const VAULT_COUNTS = paged({
  path: "/vault/counts",
  act: "custody.read",
  summary: "Counts of bars, newest first",
  by: "page",
  form: VAULT_COUNT,
  columns: COUNT_COLUMNS,
  page: {
    path: "/counts",
    columns: names(
      `counted_at, pool, version, place, counted_by, inspected_by, expected, found, missing, unexpected,
      different, found_fine_grams`,
    ),
    file: names(`id, counted_at, place, counted_by, expected, found, missing, unexpected, different,
      expected_fine_grams, found_fine_grams, pool, version, inspected_by`),
    caption: { en: "Counts, newest first", ar: "عمليات الجرد، الأحدث أولًا" },
    nothing: { en: "Nothing was counted yet.", ar: "لم يُجرَ جرد بعد." },
  },
  command: {
    noun: "vault count",
    verb: "list",
    brief: "List the counts of bars, newest first",
    examples: ["vault count list"],
  },
  async find({ database: { sql }, query: { limit, cursor } }) {
    const before = cursorLike(UUID, cursor);
    const { listCounts } = await import("@sabika/service/vault");
    const found = await listCounts(sql, { limit: limit + 1, before });
    return firstPart(found, limit, ({ countId }) => countId);
  },
});

/** A count with its bars. */
export const VAULT_COUNT_OF = single({
  path: "/vault/counts/{id}",
  act: "custody.read",
  summary: "A count, with each of its bars",
  form: VAULT_COUNT_WHOLE,
  columns: COUNT_COLUMNS,
  command: {
    noun: "vault count",
    verb: "show",
    brief: "Show a count in figures; with --json also its bars",
    examples: ["vault count show 01980f2e-4c1e-7d6f-8a90-1b2c3d4e5f60"],
    argument: ["COUNT", "The count's id"],
  },
  async find({ database: { sql }, path }) {
    const { findCount } = await import("@sabika/service/vault");
    return UUID.test(path["id"]!) ? await findCount(sql, path["id"]!) : undefined;
  },
});

/** Differences that counts found, and that nothing has settled. */
export const VAULT_DIFFERENCES = whole({
  path: "/vault/differences",
  act: "custody.read",
  summary: "What counts found, and nothing has settled",
  form: VAULT_DIFFERENCE,
  columns: {
    serial: { head: "SERIAL", en: "Serial", ar: "الرقم التسلسلي" },
    finding: { head: "FOUND", en: "Finding", ar: "النتيجة" },
    place: PLACE,
    counted_at: COUNTED_AT,
    count: { head: "COUNT", en: "Count", ar: "الجرد" },
    pool: POOL_COLUMN,
  },
  page: {
    path: "/counts/differences",
    columns: names("serial, finding, pool, place, counted_at"),
    file: names("serial, finding, place, counted_at, count, pool"),
    caption: { en: "Open differences, by serial", ar: "الفروق المفتوحة حسب الرقم التسلسلي" },
    nothing: { en: "None: what was counted agrees.", ar: "لا فروق: ما جُرد مطابق." },
  },
  command: {
    noun: "vault count",
    verb: "differences",
    brief: "List what counts found, and nothing has settled",
    examples: ["vault count differences"],
  },
  async find({ database: { sql } }) {
    const { listOpenDifferences } = await import("@sabika/service/vault");
    return await listOpenDifferences(sql);
  },
});

/** The refiners that were ever on a list. */
const REFINERS = whole({
  path: "/refiners",
  act: "refiner.read",
  summary: "The refiners that were ever on a list, by name",
  form: REFINER,
  columns: {
    refiner: { head: "REFINER", en: "Refiner", ar: "المصفاة" },
    list: { head: "LIST", en: "List", ar: "القائمة" },
    from_day: { head: "FROM", en: "From", ar: "من" },
    until_day: { head: "UNTIL", en: "Until", ar: "حتى" },
    document_sha256: { head: "SHA-256", en: "SHA-256 of the document", ar: "بصمة SHA-256 للمستند" },
  },
  command: {
    noun: "refiner",
    verb: "list",
    brief: "List the refiners that were ever on a list, by name",
    examples: ["refiner list"],
  },
  async find({ database: { sql } }) {
    const { readRefiners } = await import("@sabika/service/vault");
    return await readRefiners(sql);
  },
});

/** Reads of the gold in the vault, of its counts, and of refiners. */
export const VAULT_READS: readonly Read[] = [
  BARS,
  BAR_OF,
  THE_VAULT,
  VAULT_COUNTS,
  VAULT_DIFFERENCES,
  VAULT_COUNT_OF,
  REFINERS,
];
