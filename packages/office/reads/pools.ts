import { POOL, POOL_VERSION, POOL_VERSION_WHOLE } from "../wire/mod.ts";
import { type Column, names, POOL_COLUMN } from "./columns.ts";
import { cursorLike, firstPart } from "./merge.ts";
import { paged, type Read, single, whole } from "./read.ts";

/** The pools, each with its version in force. */
export const POOLS = whole({
  path: "/pools",
  act: "vault.read",
  summary: "The pools of bars, with their versions in force",
  form: POOL,
  columns: {
    pool: POOL_COLUMN,
    version: { head: "VERSION", en: "Version", ar: "الإصدار" },
    bars: { head: "BARS", en: "Bars", ar: "السبائك" },
    fine_grams: { head: "FINE g", en: "Fine weight (g)", ar: "الوزن الصافي (غ)" },
    free_grams: { head: "FREE g", en: "Unallocated (g)", ar: "غير المخصص (غ)" },
    made_at: { head: "SINCE", en: "Since (Riyadh)", ar: "منذ (الرياض)" },
    hash: { head: "HASH", en: "SHA-256 of its bars", ar: "بصمة SHA-256 لسبائكه" },
  },
  command: {
    noun: "pool",
    verb: "list",
    brief: "List the pools, each with its version in force",
    examples: ["pool list"],
  },
  async find({ database: { sql } }) {
    const { listPools } = await import("@sabika/service/vault");
    return await listPools(sql);
  },
});

const HASH = "بصمة SHA-256";

const VERSION_COLUMNS: Readonly<Record<string, Column>> = {
  version: { head: "VERSION", en: "Version", ar: "الإصدار" },
  pool: POOL_COLUMN,
  made_at: { head: "SINCE", en: "Since (Riyadh)", ar: "منذ (الرياض)" },
  kind: { head: "KIND", en: "Change", ar: "التغيير" },
  changed_bars: { head: "BARS CHANGED", en: "Bars changed", ar: "السبائك المتغيرة" },
  fine_grams: { head: "FINE g", en: "Fine weight (g)", ar: "الوزن الصافي (غ)" },
  made_by: { head: "BY", en: "Asked for by", ar: "طلبه" },
  hash: { head: "HASH", en: "SHA-256", ar: HASH },
  previous: { head: null, en: "SHA-256 of the version before", ar: `${HASH} للإصدار السابق` },
  act: { head: null, en: "Id of the signed act", ar: "معرّف الإجراء الموقّع" },
};

/** The versions of a pool. */
export const POOL_VERSIONS = paged({
  path: "/pools/{pool}/versions",
  act: "custody.read",
  summary: "The versions of a pool, newest first",
  by: "page",
  form: POOL_VERSION,
  columns: VERSION_COLUMNS,
  page: {
    path: "/pools/{pool}/versions",
    columns: names("version, made_at, kind, changed_bars, fine_grams, made_by, hash"),
    caption: { en: "Versions, newest first", ar: "الإصدارات، الأحدث أولًا" },
    nothing: { en: "The pool has had no bar yet.", ar: "لم تدخل المجمّع سبيكة بعد." },
  },
  async find({ database: { sql }, path, query: { limit, cursor } }) {
    const number = cursorLike(/^[0-9]{1,9}$/, cursor);
    const { findPool, listVersions } = await import("@sabika/service/vault");
    const pool = path["pool"]!;
    if (await findPool(sql, pool) === undefined) return undefined;
    const before = number === undefined ? undefined : Number(number);
    const found = await listVersions(sql, { pool, before, limit: limit + 1 });
    return firstPart(found, limit, ({ number }) => String(number));
  },
});

/** A version of a pool, with what it changed. */
export const POOL_VERSION_OF = single({
  path: "/pools/{pool}/versions/{version}",
  act: "custody.read",
  summary: "A version of a pool, with what it changed",
  form: POOL_VERSION_WHOLE,
  columns: VERSION_COLUMNS,
  async find({ database: { sql }, path }) {
    const version = path["version"]!;
    if (!/^[1-9][0-9]{0,8}$/.test(version)) return undefined;
    const { findVersion } = await import("@sabika/service/vault");
    return await findVersion(sql, path["pool"]!, Number(version));
  },
});

/** Reads of pools and their versions. */
export const POOL_READS: readonly Read[] = [POOLS, POOL_VERSIONS, POOL_VERSION_OF];
