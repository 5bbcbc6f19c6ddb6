import { refuse } from "@sabika/protocol";
import type { AdminOutcome } from "./refusal.ts";

/** Lengths by country, from the IBAN registry of ISO 13616. */
// deno-fmt-ignore
const LENGTHS: Record<string, number> = {
  AD: 24, AE: 23, AL: 28, AT: 20, AZ: 28, BA: 20, BE: 16, BG: 22, BH: 22, BI: 27, BR: 29, BY: 28,
  CH: 21, CR: 22, CY: 28, CZ: 24, DE: 22, DJ: 27, DK: 18, DO: 28, EE: 20, EG: 29, ES: 24, FI: 18,
  FK: 18, FO: 18, FR: 27, GB: 22, GE: 22, GI: 23, GL: 18, GR: 27, GT: 28, HN: 28, HR: 21, HU: 28,
  IE: 22, IL: 23, IQ: 23, IS: 26, IT: 27, JO: 30, KW: 30, KZ: 20, LB: 28, LC: 32, LI: 21, LT: 20,
  LU: 20, LV: 21, LY: 25, MC: 27, MD: 24, ME: 22, MK: 19, MN: 20, MR: 27, MT: 31, MU: 30, NI: 28,
  NL: 18, NO: 15, OM: 23, PK: 24, PL: 28, PS: 29, PT: 25, QA: 29, RO: 24, RS: 22, RU: 33, SA: 24,
  SC: 31, SD: 18, SE: 24, SI: 19, SK: 24, SM: 27, SO: 23, ST: 25, SV: 28, TL: 23, TN: 24, TR: 26,
  UA: 29, VA: 22, VG: 24, XK: 20, YE: 30,
};

/**
 * Checks an IBAN: country, its length, characters, and the check digits modulo 97 (ISO 13616, ISO
 * 7064). Spaces between groups are dropped; lower case becomes upper case.
 *
 * @returns the IBAN without spaces, or the reason
 */
export function readIban(text: string): AdminOutcome<string> {
  const iban = text.replaceAll(" ", "").toUpperCase();
  if (!/^[A-Z]{2}[0-9]{2}[A-Z0-9]{1,30}$/.test(iban)) {
    return refuse(
      "invalid_iban",
      "an IBAN is two letters, two digits and up to 30 letters or digits",
    );
  }
  const country = iban.slice(0, 2);
  const length = LENGTHS[country];
  if (length === undefined) return refuse("invalid_iban", `${country} has no IBAN`);
  if (iban.length !== length) {
    return refuse(
      "invalid_iban",
      `an IBAN of ${country} has ${length} characters, this has ${iban.length}`,
    );
  }
  if (remainder97(iban.slice(4) + iban.slice(0, 4)) !== 1) {
    return refuse("invalid_iban", "the check digits of the IBAN are wrong");
  }
  return { ok: true, value: iban };
}

function remainder97(text: string): number {
  let remainder = 0;
  for (const character of text) {
    const value = parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder;
}
