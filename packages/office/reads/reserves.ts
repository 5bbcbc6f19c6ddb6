import { PUBLISHED_RESERVE, RESERVE_OPENING } from "@sabika/protocol";
import { LISTED_RESERVE } from "../wire/mod.ts";
import { Refused } from "../refused.ts";
import { names } from "./columns.ts";
import { cursorLike, firstPart } from "./merge.ts";
import { paged, type Read, single, whole } from "./read.ts";

/** The reserves of all days. */
export const RESERVES = paged({
  path: "/reserves",
  act: "reserve.read",
  summary: "The reserve of each day, newest first",
  by: "page",
  form: LISTED_RESERVE,
  columns: {
    day: { head: "DAY", en: "Day (Riyadh)", ar: "اليوم (الرياض)" },
    bank_sar: { head: "BANK SAR", en: "On the bank account (SAR)", ar: "في حساب البنك (ر.س)" },
    signed: { head: "SIGNED", en: "Operator", ar: "المشغّل" },
    attested: { head: "ATTESTED", en: "Auditor", ar: "المدقّق" },
    hash: { head: "SHA-256", en: "SHA-256", ar: "بصمة SHA-256" },
  },
  page: {
    path: "/reserves",
    columns: names("day, bank_sar, signed, attested, hash"),
    caption: { en: "Reserves, newest first", ar: "الاحتياطيات، الأحدث أولًا" },
    nothing: { en: "No reserve was made yet.", ar: "لم يُعدّ احتياطي بعد." },
  },
  command: {
    noun: "reserve",
    verb: "list",
    brief: "List the reserves of all days, newest first, with who signed them",
    examples: ["reserve list"],
  },
  async find({ database: { sql }, query: { limit, cursor } }) {
    const beforeDay = cursorLike(/^\d{4}-\d{2}-\d{2}$/, cursor);
    const { listReserves } = await import("@sabika/service/reserves");
    const found = await listReserves(sql, { limit: limit + 1, beforeDay });
    return firstPart(found, limit, ({ day }) => day);
  },
});

/** The reserve of a day, as partners read it. */
export const RESERVE_OF = single({
  path: "/reserves/{id}",
  act: "reserve.read",
  summary: "The reserve of a day, as partners read it",
  form: PUBLISHED_RESERVE,
  async find({ database: { sql }, path }) {
    const { findReserve } = await import("@sabika/service/reserves");
    return await findReserve(sql, path["id"]!);
  },
});

/** What all commitments of a day hide. */
export const RESERVE_OPENINGS = whole({
  path: "/reserves/{id}/openings",
  act: "reserve.openings.read",
  summary:
    "Every partner's balances in a day's reserve, with their salts; the audit log has who read them",
  form: RESERVE_OPENING,
  async find({ database: { sql }, who, from, path }) {
    const { openReserve } = await import("@sabika/service/reserves");
    const opened = await openReserve(sql, { day: path["id"]!, who, from });
    if (opened === undefined) throw new Refused("not_permitted", `"${who}" is no auditor`);
    return opened.length === 0 ? undefined : opened;
  },
});

/** Reads of reserves. */
export const RESERVE_READS: readonly Read[] = [RESERVES, RESERVE_OF, RESERVE_OPENINGS];
