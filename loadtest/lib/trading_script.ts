import type { Options } from "k6/options";
import { checkBooks, openAccount, type Opening } from "./account.ts";
import { readKit } from "./kit.ts";
import { createPartner, openSession, type Partner, type Session } from "./partner.ts";
import { type Defaults, readSettings, type Settings } from "./settings.ts";
import { summarise, type SummaryData } from "./summary.ts";
import { baseUrlOf, commonOptions } from "./target.ts";

/** A script's question, default settings and funding. */
export interface ScriptDefinition extends Defaults {
  /** Printed above the summary. */
  question: string;
  /** The amount in riyals with which a sandbox partner is funded before the run. */
  fundSar: number;
}

/** What `setup` returns; k6 passes it to iterations and to `teardown`. */
export interface Shared {
  session: Session;
  opening: Opening;
}

/** The parts that every script has: `setup`, `teardown` and `handleSummary` are exported to k6 as they are. */
export interface TradingScript {
  /** From environment variables; the definition's rate and duration are the defaults. */
  settings: Settings;
  /** The options that every script has; a script adds its scenarios and thresholds. */
  options: Options;
  /** Opens a session, funds a sandbox's partner, and reads its balances; throws Error if one is refused. */
  setup(): Shared;
  /** Returns the partner of this VU, which the first call creates. */
  partner(shared: Shared): Partner;
  /** Checks that the partner's balances changed by the run's orders; throws Error if they cannot be read. */
  teardown(shared: Shared): void;
  /** Makes the summary: a text for the terminal, and JSON for a file. */
  handleSummary(data: SummaryData): Record<string, string>;
}

/** Thresholds for correctness: iterations and checks succeed, replays are refused, orders are executed. */
export const CORRECTNESS_THRESHOLDS: Record<string, string[]> = {
  // An exception counts as a failed iteration.
  good_iterations: ["rate==1"],
  checks: ["rate==1"],
  replays_accepted: ["count==0"],
  orders_executed: ["count>0"],
};

/**
 * Creates the common parts of a script. Call it in k6's init context, the only place where k6 reads files.
 *
 * @throws Error when a setting is invalid, the partner's kit cannot be read, or the certificate of a remote
 * service could not be verified
 */
export function createTradingScript(definition: ScriptDefinition): TradingScript {
  const settings = readSettings(definition);
  const kit = readKit(settings.kit);
  const baseUrl = baseUrlOf(settings, kit);
  let partner: Partner | undefined;
  return {
    settings,
    options: commonOptions(settings, kit),
    setup() {
      const session = openSession(kit, baseUrl);
      const owner = createPartner(kit, baseUrl, session);
      return { session, opening: openAccount(owner, kit.environment, definition.fundSar) };
    },
    partner: ({ session }: Shared) => partner ??= createPartner(kit, baseUrl, session),
    teardown: ({ session, opening }: Shared) =>
      checkBooks(createPartner(kit, baseUrl, session), opening),
    handleSummary: (data: SummaryData) =>
      summarise(definition.script, definition.question, data, settings.summary),
  };
}
