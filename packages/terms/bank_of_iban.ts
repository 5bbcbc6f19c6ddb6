/** A bank's name by the language. */
export interface BankName {
  readonly en: string;
  readonly ar: string;
}

/** Saudi banks by the bank code of their IBANs, characters 5 and 6 (Saudi Central Bank). */
const SAUDI_BANKS: Readonly<Record<string, BankName>> = {
  "05": { en: "Alinma Bank", ar: "مصرف الإنماء" },
  "10": { en: "Saudi National Bank", ar: "البنك الأهلي السعودي" },
  "15": { en: "Bank Albilad", ar: "بنك البلاد" },
  "20": { en: "Riyad Bank", ar: "بنك الرياض" },
  "30": { en: "Arab National Bank", ar: "البنك العربي الوطني" },
  "45": { en: "Saudi Awwal Bank", ar: "البنك السعودي الأول" },
  "55": { en: "Banque Saudi Fransi", ar: "البنك السعودي الفرنسي" },
  "60": { en: "Bank AlJazira", ar: "بنك الجزيرة" },
  "65": { en: "Saudi Investment Bank", ar: "البنك السعودي للاستثمار" },
  "80": { en: "Al Rajhi Bank", ar: "مصرف الراجحي" },
  "90": { en: "Gulf International Bank", ar: "بنك الخليج الدولي" },
  "95": { en: "Emirates NBD", ar: "بنك الإمارات دبي الوطني" },
};

/**
 * Returns the bank that an IBAN names, for people to compare; undefined for a bank or country not known here.
 *
 * @param iban without spaces
 */
export function bankOf(iban: string): BankName | undefined {
  return iban.startsWith("SA") ? SAUDI_BANKS[iban.slice(4, 6)] : undefined;
}
