/** Events: written to the outbox, rendered from it, followed by number. */
export { events } from "./tables.ts";
export { writeEvent } from "./write_event.ts";
