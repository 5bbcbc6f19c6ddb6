/** Lists: filters, pages, cursors. */
export { idAt, type Listing, type ListQuery, madeInPeriod, SLACK_MS } from "./list_query.ts";
