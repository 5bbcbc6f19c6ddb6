import type { Difference } from "./reconcile.ts";

const GOLD = ["gold", "allocation", "vault", "XAU", "bars", "promises", "grants"];
const COUNTS = [
  "numbers",
  "events",
  "keys",
  "nonces",
  "acts",
  "evidence",
  "pools",
  "titles",
  "receipts",
];

/**
 * Returns the unit of a difference's two values: halalas (`money`), micrograms (`gold`), epoch milliseconds
 * (`moment`), or a `count` of what was compared.
 */
export function unitOf(
  { check, subject }: Pick<Difference, "check" | "subject">,
): "money" | "gold" | "moment" | "count" {
  if (check === "times") return "moment";
  if (COUNTS.includes(check)) return "count";
  if (check === "reserves" && !subject.includes(" of ")) return "count";
  return GOLD.includes(subject.split(/ of | before /)[0]!) ? "gold" : "money";
}
