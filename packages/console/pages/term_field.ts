import type { TermName, TermUnit } from "@sabika/terms";
import type { Messages } from "../languages/languages.ts";

/** How a term of a partner is asked for: its label with the unit, and what becomes of its text. */
export function termField(
  { partners, units }: Messages,
  { name, unit }: { name: TermName; unit: TermUnit },
): { label: string; kind: "given" | "number" } {
  const label = partners.terms[name];
  if (unit === "count") return { label, kind: "number" };
  return { label: `${label} (${unit === "percent" ? "%" : units.grams})`, kind: "given" };
}
