import type { FundingCourse, SimulationName, WithdrawalStatus } from "@sabika/protocol";
import {
  type Case,
  change,
  demand,
  newKey,
  refusal,
  sameBalances,
  scenario,
  type Stage,
  succeed,
  until,
} from "./stage.ts";

const withdrawal = (
  title: string,
  holds: string,
  simulate: SimulationName,
  end: WithdrawalStatus,
): Case => ({
  title,
  holds,
  async run(stage) {
    const moved = await change(stage, async () => {
      const step = { do: "withdraw", amount_sar: "10", key: newKey(), simulate } as const;
      const id = await succeed(stage, step);
      const status = async () => (await stage.examiner.getWithdrawal(id)).status;
      await until(stage, async () => await status() === end, `it does not become ${end}`);
    });
    const expected = end === "completed" ? -1_000n : 0n;
    demand(moved.sarHalalas === expected, `the money changed by ${moved.sarHalalas} halalas`);
    await sameBalances(stage);
  },
});

const funding = (title: string, comes: FundingCourse, arrives: bigint): Case => ({
  title,
  holds: "the integration's balance is the service's",
  async run(stage) {
    const { examiner } = stage;
    const before = (await examiner.balances()).sarHalalas;
    await scenario(stage, { funding: { amountHalalas: 10_000n, comes, afterSeconds: 1 } });
    const arrived = async () => (await examiner.balances()).sarHalalas - before;
    await until(stage, async () => await arrived() === arrives, "the money does not arrive");
    await sameBalances(stage);
  },
});

const withdraw = (stage: Stage, simulate?: SimulationName) =>
  succeed(stage, {
    do: "withdraw",
    amount_sar: "10",
    key: newKey(),
    ...simulate && { simulate },
  });

/** Money that comes and goes. */
export const MONEY: readonly Case[] = [
  withdrawal(
    "The bank pays a withdrawal after a while",
    "its money is gone, the balances agree",
    "withdrawal_completed_late",
    "completed",
  ),
  withdrawal(
    "The bank refuses a withdrawal",
    "its money is back, the balances agree",
    "withdrawal_failed",
    "failed",
  ),
  {
    title: "A withdrawal is cancelled in time",
    holds: "its money is back",
    async run(stage) {
      const moved = await change(stage, async () => {
        const id = await withdraw(stage);
        await succeed(stage, { do: "cancel", id, key: newKey() });
      });
      demand(moved.sarHalalas === 0n, `the money changed by ${moved.sarHalalas} halalas`);
    },
  },
  {
    title: "A withdrawal is cancelled too late",
    holds: "refused with `withdrawal_not_cancellable`, the money stays held",
    async run(stage) {
      const id = await withdraw(stage);
      const simulate = "withdrawal_not_cancellable";
      await refusal(stage, { do: "cancel", id, key: newKey(), simulate }, simulate);
      const { status } = await stage.examiner.getWithdrawal(id);
      demand(status === "processing", `it is ${status}`);
    },
  },
  funding("Money arrives later than it was sent", "later", 10_000n),
  funding("Less money arrives than was sent", "short", 9_000n),
  funding("Money arrives twice", "twice", 20_000n),
];
