/** Events: rendered from the outbox, followed by number. */
export { events } from "./tables.ts";
