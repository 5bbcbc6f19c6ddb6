import { text } from "./parsers.ts";

/** A flag that may be given several times, with a text value. */
export const several = (brief: string, placeholder: string) => severalOf(text, brief, placeholder);

/** A flag that may be given several times, whose values are parsed. */
export const severalOf = <T>(read: (input: string) => T, brief: string, placeholder: string) =>
  ({
    kind: "parsed",
    parse: read,
    brief: `${brief}; repeatable`,
    placeholder,
    optional: true,
    variadic: true,
  }) as const;
