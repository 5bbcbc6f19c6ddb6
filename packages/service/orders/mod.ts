/** Orders: placed in batches, and read. */
export { ORDER_COLUMNS, readOrder } from "./read_orders.ts";
export { sumMargins } from "./sum_margins.ts";
export { orders } from "./tables.ts";
