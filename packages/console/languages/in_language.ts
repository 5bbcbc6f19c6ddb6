/** The languages of the console; the first is for whoever asks for none of them. */
export const LANGUAGES = ["en", "ar"] as const;
export type Language = (typeof LANGUAGES)[number];

/** A text in each language, or a function that puts something into it. */
export type Both<Text> = Readonly<Record<Language, Text>>;

/** Texts by their names, in groups; one that lacks a language does not compile. */
interface Texts {
  readonly [name: string]: Both<unknown> | Texts;
}

/** Texts in one language: where `Words` has both, it has the text itself. */
export type InOne<Words> = Words extends Both<infer Text> ? Text
  : { readonly [Name in keyof Words]: InOne<Words[Name]> };

/** The texts of one language, by the same names in the same groups. */
export function inLanguage<Words extends Texts>(language: Language, words: Words): InOne<Words> {
  const texts = Object.entries(words).map(([name, text]) =>
    [name, isText(text) ? text[language] : inLanguage(language, text)] as const
  );
  return Object.fromEntries(texts) as InOne<Words>;
}

const isText = (words: Both<unknown> | Texts): words is Both<unknown> => LANGUAGES[0] in words;
