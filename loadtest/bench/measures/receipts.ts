import process from "node:process";
import { GOALS } from "../goals.ts";
import type { Measure } from "../measure.ts";
import { judge } from "../ratio.ts";
import { percentile } from "../statistics.ts";
import { openReceiptsSite } from "../world/receipts_site.ts";

const PARTNERS = 10_000;
const BARS = 5_000;
const MADE = 5_000;
const ASKED = 2_000;

/** What making a receipt costs, and how soon a partner has it. */
export const receipts: Measure = {
  name: "receipts",
  asks:
    "What does a receipt cost beside its signature, and how soon is it answered, of 10,000 partners and 5,000 bars?",
  long: true,
  async run({ rounds, quick, progress, note, world }) {
    const { postgresql } = await world();
    const size = quick ? { partners: 2_000, bars: 500 } : { partners: PARTNERS, bars: BARS };
    progress.say(`making ${size.partners} partners and ${size.bars} bars`);
    const site = await openReceiptsSite(postgresql, size);
    try {
      const made: number[] = [];
      const signed: number[] = [];
      /** The p95 of each kind of answer. */
      const tails = { made: [] as number[], fresh: [] as number[], balances: [] as number[] };
      await site.make(MADE / 10);
      await site.ask(ASKED / 10);
      for (let round = 0; round < rounds; round++) {
        made.push(await site.make(quick ? MADE / 2 : MADE));
        signed.push(await signatures(MADE));
        const asked = await site.ask(quick ? ASKED / 10 : ASKED);
        for (const kind of ["made", "fresh", "balances"] as const) {
          tails[kind].push(percentile(asked[kind], 0.95));
        }
        const [old, fresh, balances] = [tails.made, tails.fresh, tails.balances]
          .map((kind) => kind.at(-1)!.toFixed(1));
        progress.say(
          `receipts, round ${round + 1}: ${made.at(-1)!.toFixed(0)} µs of processor a receipt, ` +
            `${signed.at(-1)!.toFixed(0)} µs a signature; p95 ${old} ms, made when asked for ` +
            `${fresh} ms, balances ${balances} ms`,
        );
      }
      note(`receipts: ${(await site.look(100)).toFixed(0)} µs of processor a look for none`);
      return [
        judge(GOALS.receiptCpu, made, signed),
        judge(GOALS.receiptTail, tails.made, tails.made.map(() => 50)),
        judge(GOALS.receiptThen, tails.fresh, tails.balances),
      ];
    } finally {
      await site.close();
    }
  },
};

/** Microseconds of processor time for a signature of a kilobyte. */
async function signatures(count: number): Promise<number> {
  const ES256 = { name: "ECDSA", hash: "SHA-256" };
  const { privateKey } = await crypto.subtle.generateKey(
    { name: "ECDSA", namedCurve: "P-256" },
    false,
    ["sign"],
  );
  const bytes = new Uint8Array(1_024);
  const start = process.cpuUsage();
  for (let n = 0; n < count; n++) await crypto.subtle.sign(ES256, privateKey, bytes);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / count;
}
