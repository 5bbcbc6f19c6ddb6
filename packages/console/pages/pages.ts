import type { Page } from "../call.ts";
import { approvals } from "./approvals.tsx";
import { performAct, signAct } from "./acts.tsx";
import { admission, admissionStep } from "./admission.tsx";
import { audit, auditFile } from "./audit.tsx";
import { books } from "./books.tsx";
import { changePartner } from "./change_partner.tsx";
import { deliveries, deliveriesFile } from "./deliveries.tsx";
import { fundings, fundingsFile } from "./fundings.tsx";
import { ledger, ledgerFile } from "./ledger.tsx";
import { orders, ordersFile } from "./orders.tsx";
import { overview } from "./overview.tsx";
import { partner } from "./partner.tsx";
import { partners, partnersFile } from "./partners.tsx";
import { people, person } from "./people.tsx";
import { policy } from "./policy.tsx";
import { pricesFile } from "./price_history.tsx";
import { prices } from "./prices.tsx";
import { quotes, quotesFile } from "./quotes.tsx";
import { statementFile, statements } from "./statements.tsx";
import { trade } from "./trade.tsx";
import { vault } from "./vault.tsx";
import { withdrawals, withdrawalsFile } from "./withdrawals.tsx";

/** Every page behind the sign-in; the navigation has those with an entry, in this order. */
export const PAGES: readonly Page[] = [
  ...[overview, orders, ordersFile, trade, quotes, quotesFile],
  ...[partners, partnersFile, admission, admissionStep, partner, changePartner],
  ...[deliveries, deliveriesFile],
  ...[ledger, ledgerFile, statements, statementFile, books],
  ...[fundings, fundingsFile, withdrawals, withdrawalsFile, prices, pricesFile, vault],
  ...[approvals, policy, people, person, audit, auditFile],
  ...[signAct, performAct],
];
