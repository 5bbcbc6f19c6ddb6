/** What of telling people the pages need. */
export { CONDITIONS } from "./conditions.ts";
