import { CHECKLIST_ITEM } from "../wire/mod.ts";
import { PARTNER_PATH } from "./of_partner.ts";
import { whole } from "./read.ts";

/** What a partner still needs until it is live. */
export const PARTNERS_CHECKLIST = whole({
  path: `${PARTNER_PATH}/checklist`,
  act: "partner.read",
  summary: "What a partner needs until it is live, and what of it is done, by the facts",
  form: CHECKLIST_ITEM,
  columns: {
    step: { head: "STEP", en: "Step", ar: "الخطوة" },
    done: { head: "DONE", en: "State", ar: "الحالة" },
    command: { head: "BY" },
  },
  command: {
    noun: "partner",
    verb: "checklist",
    brief: "Show what a partner needs until it is live",
    examples: ["partner checklist --partner bank-one"],
  },
  async find({ home, database, environment, now }) {
    const partner = await home();
    if (partner === undefined) return undefined;
    const { readChecklist } = await import("../oversight/read_checklist.ts");
    const place = { control: database.sql, environment: await environment(), nowMs: now() };
    return await readChecklist(place, partner);
  },
});
