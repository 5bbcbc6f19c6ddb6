import type { Measure } from "../measure.ts";
import { against } from "./against.ts";
import { build } from "./build.ts";
import { cells } from "./cells.ts";
import { database } from "./database.ts";
import { envoy } from "./envoy.ts";
import { fairness } from "./fairness.ts";
import { full } from "./full.ts";
import { growth } from "./growth.ts";
import { lists } from "./lists.ts";
import { memory } from "./memory.ts";
import { neighbours } from "./neighbours.ts";
import { orders } from "./orders.ts";
import { peers } from "./peers.ts";
import { start } from "./start.ts";
import { verification } from "./verification.ts";
import { webhooks } from "./webhooks.ts";

/** All measures, in the order in which they run. */
export const MEASURES: readonly Measure[] = [
  verification,
  orders,
  database,
  cells,
  envoy,
  fairness,
  neighbours,
  full,
  growth,
  lists,
  memory,
  start,
  build,
  webhooks,
  peers,
  against,
];
