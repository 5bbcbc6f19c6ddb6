import { makeReserves } from "@sabika/service/reserves";
import { addBars, listBars, recordCount } from "@sabika/service/vault";
import { GOALS } from "../goals.ts";
import type { Bench, Measure } from "../measure.ts";
import { random } from "../random.ts";
import { judge } from "../ratio.ts";
import { createSite, type Site } from "../world/site.ts";

const PARTNERS = 10_000;
const BARS = 5_000;
/** Transfers of each partner on each day. */
const TRANSFERS = 10;
const DAY_MS = 86_400_000;
const GOAL_MS = 10_000;

/** Makes the reserves of days that have ended, one each round, each from the transfers since. */
export const reserve: Measure = {
  name: "reserve",
  asks: "How long does the reserve of a day with 10,000 partners and 5,000 bars take?",
  long: true,
  onlyNamed: true,
  async run(bench) {
    const { postgresql } = await bench.world();
    const site = await createSite(postgresql, "reserve", 1);
    try {
      const { database } = site;
      await fillBars(site);
      await fillPartners(bench, site);
      const times: number[] = [];
      // The first day is left out: it warms up.
      for (let round = 0; round <= bench.rounds; round++) {
        const dayMs = Math.floor(Date.now() / DAY_MS - bench.rounds - 2 + round) * DAY_MS;
        const noonMs = dayMs + DAY_MS + 9 * 3_600_000;
        const startMs = performance.now();
        await makeReserves({ control: database, cells: [database], random }, noonMs);
        const milliseconds = performance.now() - startMs;
        await check(site, new Date(dayMs).toISOString().slice(0, 10));
        if (round > 0) times.push(milliseconds);
        bench.progress.say(`reserve, round ${round}: ${milliseconds.toFixed(0)} ms`);
      }
      return [judge(GOALS.reserve, times, times.map(() => GOAL_MS))];
    } finally {
      await site.close();
    }
  },
};

/** Brings bars in a thousand at once, as the office does, and counts them. */
async function fillBars({ database }: Site): Promise<void> {
  const actor = { who: "bench", from: "loadtest" };
  const admin = { database, environment: "sandbox", actor, now: Date.now, random } as const;
  for (let from = 0; from < BARS; from += 1_000) {
    const bars = Array.from({ length: 1_000 }, (_, at) => ({
      serial: `R-${from + at}`,
      refiner: "R",
      finenessTenThousandths: 9_999,
      weightMicrograms: 1_000_000_000n,
    }));
    const added = await addBars(admin, bars);
    if (!added.ok) throw new Error(`the bars were refused: ${added.code}`);
  }
  const bars = await listBars(database.sql);
  const counted = await recordCount(admin, { place: undefined, bars, unexpected: [] });
  if (!counted.ok) throw new Error(`the count was refused: ${counted.code}`);
  await database.sql.begin(async (tx) => {
    await tx.unsafe("set local session_replication_role = replica");
    await tx`update pool_versions set made_at = made_at - interval '30 days'`;
    await tx`update vault_counts set counted_at = counted_at - interval '20 days'`;
  });
}

/** Writes partners with their balances, and transfers of each on each of these days and today. */
async function fillPartners(
  { rounds, progress }: Bench,
  { database: { sql } }: Site,
): Promise<void> {
  const each = (rounds + 3) * TRANSFERS;
  progress.say(`storing ${PARTNERS} partners with ${each} transfers each`);
  await sql.begin(async (tx) => {
    await tx.unsafe("set local session_replication_role = replica");
    await tx`insert into partners (partner_id, client_id, name, settlement_iban) overriding system value
      select 1000 + n, 'partner-' || n, 'Partner ' || n, 'SA0380000000608010167519'
      from generate_series(1, ${PARTNERS}::integer) as n`;
    await tx`insert into accounts (partner_id, cash_halalas, bank_halalas, gold_micrograms, vault_micrograms, last_transfer)
      select 1000 + n, 1000000000 + n, -1000000000 - n, 100000000 + n, -100000000 - n, ${each}::integer
      from generate_series(1, ${PARTNERS}::integer) as n`;
    await tx`insert into transfers (partner_id, number, amount, posted_at, source_id, asset, debit_account,
        credit_account, source_kind)
      select 1000 + n, t, 100, clock_timestamp() - (${each}::integer - t) * interval '1 day' / ${TRANSFERS}::integer,
        gen_random_uuid(), case t % 2 when 0 then 'SAR' else 'XAU' end,
        case t % 2 when 0 then 'bank' else 'vault' end, case t % 2 when 0 then 'cash' else 'gold' end, 'funding'
      from generate_series(1, ${PARTNERS}::integer) as n, generate_series(1, ${each}::integer) as t`;
  });
  await sql.unsafe("vacuum (analyze) transfers, accounts, partners");
}

/** The reserve has all partners, and the bars that are there. */
async function check({ database: { sql } }: Site, day: string): Promise<void> {
  const [made] = await sql<{ partners: number; version: number; counted: number }[]>`
    select jsonb_array_length(r -> 'commitments') as partners, (r #> '{pools,0,version}')::integer as version,
      (r #> '{pools,0,count,version}')::integer as counted
    from reserves, lateral (select body::jsonb as r) as b where day = ${day}::text::date`;
  const versions = BARS / 1_000;
  if (made?.partners !== PARTNERS + 1 || made.version !== versions || made.counted !== versions) {
    throw new Error(`the reserve of ${day} is of something else`);
  }
}
