/** Each entry of a table in a text; between two of them are blanks or line ends. */
export const each = (table: string): string[] => table.trim().split(/\s+/);
