/** Splits a text into its words, which are separated by white space. */
export const each = (table: string): string[] => table.trim().split(/\s+/);
