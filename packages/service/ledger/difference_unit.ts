import type { Difference } from "./reconcile.ts";

const GOLD = ["gold", "allocation", "vault", "XAU", "bars", "promises", "grants"];
const COUNTS = ["numbers", "events", "keys", "nonces", "acts"];

/**
 * What a difference's two values are: halalas, micrograms, epoch milliseconds, or a count of whatever
 * was compared.
 */
export function unitOf(
  { check, subject }: Pick<Difference, "check" | "subject">,
): "money" | "gold" | "moment" | "count" {
  if (check === "times") return "moment";
  if (COUNTS.includes(check)) return "count";
  return GOLD.includes(subject) || subject.startsWith("gold after ") ? "gold" : "money";
}
