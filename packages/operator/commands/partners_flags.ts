import { neededFlag, textFlag } from "../command/command.ts";
import { PAGE_FLAGS, type PageFlags } from "../command/page.ts";
import { text } from "../command/parsers.ts";

/** What a list of one partner's may be asked. */
export interface PartnersFlags extends PageFlags {
  partner: string;
  key?: string;
}

/** Whose list it is. */
export const PARTNER_FLAG = neededFlag(text, "Whose", "ID", { question: "Which partner?" });

/** Its flags. */
export const PARTNERS_FLAGS = {
  partner: PARTNER_FLAG,
  key: textFlag("What this Idempotency-Key made", "KEY"),
  ...PAGE_FLAGS,
};
