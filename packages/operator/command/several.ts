import { text } from "./parsers.ts";

/** A flag with a text value that may be given several times. */
export const several = (brief: string, placeholder: string) => ({
  kind: "parsed" as const,
  parse: text,
  brief: `${brief}; repeatable`,
  placeholder,
  optional: true as const,
  variadic: true as const,
});
