import { checkBooks, openAccount, type Opening } from "./account.ts";
import { readKit } from "./kit.ts";
import { createPartner, openSession, type Partner, type Session } from "./partner.ts";
import { readSettings } from "./settings.ts";
import { summarise, type SummaryData } from "./summary.ts";
import { baseUrlOf, commonOptions } from "./target.ts";

/** What a script asks, and what it wants when its environment says nothing. */
export interface About {
  script: string;
  question: string;
  rate: number;
  duration: string;
  /** What the partner is funded with before the run, in riyals (sandbox). */
  fundSar: number;
}

/** What `setup` hands to the iterations and to `teardown`. */
export interface Shared {
  session: Session;
  opening: Opening;
}

/** Bounds that hold however fast or slow it is: every iteration did all it should. */
export const ALL_GOOD: Record<string, string[]> = {
  // An exception counts as an iteration that did not.
  good_iterations: ["rate==1"],
  checks: ["rate==1"],
  replays_accepted: ["count==0"],
  orders_executed: ["count>0"],
};

/** Reads the environment and the kit; to be called once, when the script is loaded. */
export function tradingScript(about: About) {
  const settings = readSettings(about);
  const kit = readKit(settings.kit);
  const baseUrl = baseUrlOf(settings, kit);
  let partner: Partner | undefined;
  return {
    settings,
    options: commonOptions(settings, kit),
    setup() {
      const session = openSession(kit, baseUrl);
      const owner = createPartner(kit, baseUrl, session);
      return { session, opening: openAccount(owner, kit.environment, about.fundSar) };
    },
    /** The partner of this VU. */
    partner: ({ session }: Shared) => partner ??= createPartner(kit, baseUrl, session),
    /** Compares the books with the orders of the run. */
    teardown: ({ session, opening }: Shared) =>
      checkBooks(createPartner(kit, baseUrl, session), opening),
    handleSummary: (data: SummaryData) =>
      summarise(about.script, about.question, data, settings.summary),
  };
}
