import { OPEN_MOVE } from "../wire/mod.ts";
import { names, PARTNER as PARTNER_COLUMN } from "./columns.ts";
import { whole } from "./read.ts";

/** Moves of partners to other cells that have not ended. */
export const MOVES = whole({
  path: "/moves",
  act: "partner.read",
  summary: "The moves of partners between cells that have not ended, the oldest first",
  form: OPEN_MOVE,
  columns: {
    client_id: PARTNER_COLUMN,
    from: { head: "FROM", en: "From cell", ar: "من الخلية" },
    to: { head: "TO", en: "To cell", ar: "إلى الخلية" },
    step: { head: "STEP", en: "Step", ar: "الخطوة" },
    since: { head: "SINCE", en: "Since (Riyadh)", ar: "منذ (الرياض)" },
    carried_out: { head: "CARRIED OUT", en: "Carried out now", ar: "قيد التنفيذ الآن" },
  },
  command: {
    noun: "partner",
    verb: "moves",
    brief:
      "List the moves between cells that have not ended, and whether somebody carries them out",
    examples: ["partner moves"],
  },
  page: {
    path: "/moves",
    title: { group: "control", en: "Moves", ar: "عمليات النقل" },
    columns: names("client_id, from, to, step, since, carried_out"),
    caption: {
      en: "Moves of partners between cells that have not ended",
      ar: "عمليات نقل الشركاء بين الخلايا التي لم تنتهِ",
    },
    nothing: { en: "No partner is being moved.", ar: "لا يُنقل أي شريك." },
  },
  async find({ database: { sql } }) {
    const { listOpenMoves } = await import("@sabika/service/moving");
    return await listOpenMoves(sql);
  },
});
