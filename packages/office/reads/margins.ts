import { RIYADH_OFFSET_MS } from "@sabika/terms";
import { MARGIN } from "../wire/mod.ts";
import { names, PARTNER } from "./columns.ts";
import { OF_PARTNER } from "./filters.ts";
import { firstPart, wrongCursor } from "./merge.ts";
import type { Margin } from "../oversight/list_margins.ts";
import { paged, type Part } from "./read.ts";

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];
const LENGTH_MS = { day: DAY_MS, hour: HOUR_MS } as const;
/** The period of a list without one. */
const USUAL_MS = { day: 31 * DAY_MS, hour: 2 * DAY_MS } as const;

/** What orders earned the house, by partner and day or hour, newest first. */
export const MARGINS = paged({
  path: "/margins",
  act: "books.read",
  summary:
    "What orders earned, by partner and day (or hour): the last 31 days (2 for hours) without a period",
  by: "period",
  filters: {
    client_id: OF_PARTNER,
    by: {
      values: ["day", "hour"],
      flag: { name: "by", brief: "By day, or by hour, in Riyadh (day)" },
    },
  },
  form: MARGIN,
  columns: {
    start: { head: "FROM", en: "From (Riyadh)", ar: "من (الرياض)" },
    client_id: PARTNER,
    orders: { head: "ORDERS", en: "Orders", ar: "الأوامر" },
    orders_without_price: { head: null, en: "Price not known", ar: "سعرها غير معروف" },
    gold_grams: { head: "GOLD g", en: "Gold (g)", ar: "الذهب (غ)" },
    total_sar: { head: "TOTAL SAR", en: "Total (SAR)", ar: "الإجمالي (ر.س)" },
    spread_sar: { head: "SPREAD SAR", en: "Spread (SAR)", ar: "الفارق (ر.س)" },
    fee_sar: { head: "FEE SAR", en: "Fee (SAR)", ar: "الرسوم (ر.س)" },
    rounding_sar: { head: null, en: "Rounding (SAR)", ar: "التقريب (ر.س)" },
    margin_sar: { head: "MARGIN SAR", en: "Margin (SAR)", ar: "الهامش (ر.س)" },
    by: { en: "By", ar: "حسب" },
  },
  command: {
    noun: "margin",
    verb: "list",
    brief: "List what orders earned, by partner and day or hour: spread, fee, rounding",
    examples: ["margin list --from 2026-11-01", "margin list --partner bank-one --by hour"],
  },
  page: {
    path: "/margins",
    columns: names(
      `start, client_id, orders, gold_grams, total_sar, spread_sar, fee_sar, rounding_sar,
      margin_sar, orders_without_price`,
    ),
    caption: { en: "What orders earned, newest first", ar: "ما كسبته الأوامر، الأحدث أولًا" },
    nothing: { en: "No orders in this time.", ar: "لا أوامر في هذه المدة." },
  },
  async find(
    { pastInEachCell, now, filter, query: { limit, cursor, createdFromMs, createdToMs } },
  ) {
    const { listMargins } = await import("../oversight/list_margins.ts");
    const by = filter["by"] === "hour" ? "hour" : "day";
    const toMs = createdToMs ?? now();
    const fromMs = createdFromMs ?? toMs - USUAL_MS[by];
    const clientId = filter["client_id"];
    const last = readCursor(cursor);
    const rest: Margin[] = [];
    let partToMs = last === undefined ? toMs : Math.min(toMs, last.startMs + LENGTH_MS[by]);
    let away: Part<Margin>["away"];
    // A page needs the newest rows alone, and each partner that trades has one of each day.
    for (
      let rows = clientId === undefined ? 1 : limit + 1;
      rest.length <= limit && partToMs > fromMs;
      rows *= 4
    ) {
      const startMs = startOf(by, partToMs - 1) - (rows - 1) * LENGTH_MS[by];
      const query = { by, fromMs: Math.max(fromMs, startMs), toMs: partToMs, clientId } as const;
      const part = await pastInEachCell(clientId, (cell) => listMargins(cell, query));
      const found = part.found.flat()
        .sort((a, b) => b.startMs - a.startMs || (a.clientId < b.clientId ? -1 : 1))
        .filter(({ startMs, clientId }) =>
          last === undefined || startMs < last.startMs ||
          startMs === last.startMs && clientId > last.clientId
        );
      rest.push(...found);
      away = part.away;
      partToMs = query.fromMs;
    }
    const page = firstPart(rest, limit, ({ startMs, clientId }) => `${startMs}_${clientId}`);
    return { ...page, away };
  },
});

/** Returns when the row of a moment begins; days are those of Riyadh. */
function startOf(by: "day" | "hour", ms: number): number {
  const length = LENGTH_MS[by];
  return Math.floor((ms + RIYADH_OFFSET_MS) / length) * length - RIYADH_OFFSET_MS;
}

function readCursor(cursor: string | undefined) {
  if (cursor === undefined) return undefined;
  const [, startMs, clientId] = /^([0-9]{1,15})_([a-z0-9-]+)$/.exec(cursor) ?? [];
  if (startMs !== undefined) return { startMs: Number(startMs), clientId: clientId! };
  throw wrongCursor();
}
