import { CREDENTIAL_READS } from "./credentials.ts";
import { DEPLOYMENT_READS } from "./deployment.ts";
import { EVENT_READS } from "./events.ts";
import { MARGINS } from "./margins.ts";
import { MONEY_READS } from "./money.ts";
import { PARTNER_FILE_READS } from "./partner_file.ts";
import { PARTNER_READS } from "./partners.ts";
import { PEOPLE_READS } from "./people.ts";
import { POOL_READS } from "./pools.ts";
import type { Read } from "./read.ts";
import { RESERVE_READS } from "./reserves.ts";
import { TRADE_READS } from "./trades.ts";
import { VAULT_READS } from "./vault.ts";

/** The table of reads: every `GET` below `/admin/v1`, and what commands and pages are made of it. */
export const READS: readonly Read[] = [
  ...PARTNER_READS,
  ...PARTNER_FILE_READS,
  ...CREDENTIAL_READS,
  ...TRADE_READS,
  ...EVENT_READS,
  ...MONEY_READS,
  MARGINS,
  ...PEOPLE_READS,
  ...VAULT_READS,
  ...RESERVE_READS,
  ...POOL_READS,
  ...DEPLOYMENT_READS,
];
