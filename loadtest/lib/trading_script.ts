import { checkBooks, openAccount, type Opening } from "./account.ts";
import { readKit } from "./kit.ts";
import { createPartner, openSession, type Partner, type Session } from "./partner.ts";
import { type Defaults, readSettings } from "./settings.ts";
import { summarise, type SummaryData } from "./summary.ts";
import { baseUrlOf, commonOptions } from "./target.ts";

/** A script's question and default settings. */
export interface TradingScript extends Defaults {
  question: string;
  /** The amount in riyals with which a sandbox partner is funded before the run. */
  fundSar: number;
}

/** The result of `setup`, which iterations and `teardown` get. */
export interface Shared {
  session: Session;
  opening: Opening;
}

/** Thresholds that do not depend on speed: every iteration did all that it should. */
export const ALL_GOOD: Record<string, string[]> = {
  // An exception counts as a failed iteration.
  good_iterations: ["rate==1"],
  checks: ["rate==1"],
  replays_accepted: ["count==0"],
  orders_executed: ["count>0"],
};

/** Makes k6's options and functions of a script, in its init context; throws Error if called wrongly. */
export function tradingScript(defaults: TradingScript) {
  const settings = readSettings(defaults);
  const kit = readKit(settings.kit);
  const baseUrl = baseUrlOf(settings, kit);
  let partner: Partner | undefined;
  return {
    settings,
    options: commonOptions(settings, kit),
    setup() {
      const session = openSession(kit, baseUrl);
      const owner = createPartner(kit, baseUrl, session);
      return { session, opening: openAccount(owner, kit.environment, defaults.fundSar) };
    },
    /** Returns the partner of this VU. */
    partner: ({ session }: Shared) => partner ??= createPartner(kit, baseUrl, session),
    /** Compares the partner's balances with the orders of the run. */
    teardown: ({ session, opening }: Shared) =>
      checkBooks(createPartner(kit, baseUrl, session), opening),
    handleSummary: (data: SummaryData) =>
      summarise(defaults.script, defaults.question, data, settings.summary),
  };
}
