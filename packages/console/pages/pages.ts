import type { Page } from "../call.ts";
import { exportOrders, orders } from "./orders.tsx";
import { approvals } from "./approvals.tsx";
import { performAct, signAct } from "./acts.tsx";
import { audit } from "./audit.tsx";
import { deliveries } from "./deliveries.tsx";
import { overview } from "./overview.tsx";
import { partner } from "./partner.tsx";
import { partners } from "./partners.tsx";
import { trade } from "./trade.tsx";
import { vault } from "./vault.tsx";
import { withdrawals } from "./withdrawals.tsx";

/** Every page behind the sign-in; the navigation has those with an entry, in this order. */
export const PAGES: readonly Page[] = [
  ...[overview, orders, exportOrders, trade],
  ...[partners, partner, deliveries, withdrawals, vault, approvals, audit],
  ...[signAct, performAct],
];
