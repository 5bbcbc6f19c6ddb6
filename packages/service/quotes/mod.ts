/** Quotes: priced, made in batches, and read. */
export { getQuote, readQuote } from "./read_quotes.ts";
export { quotes } from "./tables.ts";
