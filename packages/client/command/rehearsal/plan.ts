import { CALLING } from "./calling.ts";
import { DOUBT } from "./doubt.ts";
import { MARKET } from "./market.ts";
import { MONEY } from "./money.ts";
import { type Case, demand, sameBalances } from "./stage.ts";
import { TRADING } from "./trading.ts";
import { WEBHOOKS } from "./webhooks.ts";

const RIYADH_MS = 10_800_000;

const BOOKS: readonly Case[] = [{
  title: "The day is reconciled",
  holds: "the statement's entries lead from its opening to its closing balances, which you have",
  async run(stage) {
    const { examiner } = stage;
    const { serverTimeMs } = await examiner.probe();
    const day = new Date(serverTimeMs + RIYADH_MS).toISOString().slice(0, 10);
    const { opening, closing, entries } = await examiner.statement(day);
    const sums = { cash: opening.sarHalalas, gold: opening.goldMicrograms };
    for (const { debitAccount, creditAccount, amount } of entries) {
      for (const account of ["cash", "gold"] as const) {
        if (creditAccount === account) sums[account] += amount;
        if (debitAccount === account) sums[account] -= amount;
      }
    }
    const isSum = sums.cash === closing.sarHalalas && sums.gold === closing.goldMicrograms;
    demand(isSum, `the entries of ${day} do not lead to its closing balances`);
    await sameBalances(stage);
  },
}];

/** The chapters of a bank's acceptance plan; docs/rehearsal.md is its page. */
export const PLAN: readonly (readonly [chapter: string, cases: readonly Case[]])[] = [
  ["Calling", CALLING],
  ["Trading", TRADING],
  ["Doubt", DOUBT],
  ["Money", MONEY],
  ["The market", MARKET],
  ["Webhooks", WEBHOOKS],
  ["The books", BOOKS],
];

/** All cases with their numbers, from 1. */
export const CASES = PLAN.flatMap(([chapter, cases]) =>
  cases.map((rehearsed) => ({ chapter, ...rehearsed }))
)
  .map((rehearsed, index) => ({ number: index + 1, ...rehearsed }));
