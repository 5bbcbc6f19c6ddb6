import { writeChanged, writeLine } from "@sabika/office/dossier";
import type { Language } from "./languages.ts";
import arabic from "./refusals_ar.json" with { type: "json" };

/** The sentences by what they begin and end with; the longer ones first, as they say more. */
const SENTENCES = Object.entries(arabic).sort(([a], [b]) => b.length - a.length)
  .map(([english, text]) => ({ pattern: patternOf(english), text }));

/**
 * Writes in the reader's language why an act was refused or is void. Acts say it in English, as the log, the
 * command and programs have it; a catalogue has the sentence in Arabic by its English, `{}` for what it names.
 *
 * @returns what was given, for a sentence that the catalogue lacks
 */
export function sayRefusal(language: Language, detail: string): string {
  if (language === "en") return detail;
  const changed = writeChanged(detail, language);
  if (changed !== undefined) return changed;
  for (const { pattern, text } of SENTENCES) {
    const found = pattern.exec(detail)?.slice(1);
    if (found === undefined) continue;
    let next = 0;
    return text.replace(/\{(\d?)\}/g, (_, place: string) => {
      const named = found[place === "" ? next++ : Number(place)] ?? "";
      // A state has its word; other texts are as they are.
      return writeLine({ name: "status", value: { word: named as "active" } }, language).value;
    });
  }
  return detail;
}

function patternOf(english: string): RegExp {
  const parts = english.split("{}").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("(.+?)")}$`);
}
