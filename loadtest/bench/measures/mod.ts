import type { Measure } from "../measure.ts";
import { cells } from "./cells.ts";
import { cost } from "./cost.ts";
import { growth } from "./growth.ts";
import { orders } from "./orders.ts";
import { receipts } from "./receipts.ts";
import { reserve } from "./reserve.ts";
import { webhooks } from "./webhooks.ts";

/** All measures, in the order in which they run. */
export const MEASURES: readonly Measure[] = [
  orders,
  cells,
  growth,
  webhooks,
  receipts,
  cost,
  reserve,
];
