import { after, test } from "node:test";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { assert, assertEquals } from "@std/assert";
import { openMovingPartner } from "../../../test/support/moving_partner.ts";
import { sized } from "../../../test/support/sized.ts";
import { until } from "../../../test/support/until.ts";
import { endProcess, startProgram } from "../../../tools/programs/own_process.ts";
import { MOVE_STEPS, type MoveStep } from "./mod.ts";

// (D114) Movers that are processes of their own, killed or stopped at each step, while an office looks every second.

const KILLS = sized(8, 50);
const BOUND_MS = 10_000;
const CALLERS = 1;
/** Without it the partner's history grows by thousands of orders a move, and each move takes longer to copy it. */
const PAUSE_MS = 50;

const moving = await openMovingPartner();
after(moving.close);
const { control, cell, partnerId, answered } = moving;

/** Starts a mover to the other cell, and waits until it is before a step. */
async function startMover(step: MoveStep) {
  const [from] = await moving.homes();
  const to = from === "main" ? "b" : "main";
  const urls = [control, cell].map(({ urlAs }) => urlAs("sabika_operator"));
  const mover = startProgram("test/support/mover_main.ts", {}, [
    ...urls,
    String(partnerId),
    "mover",
    to,
    step,
  ]);
  let errors = "";
  mover.stderr.setEncoding("utf8").on("data", (text: string) => errors += text);
  const ended = once(mover, "exit").then(() => {
    throw new Error(`the mover ended before ${step}: ${errors}`);
  });
  await Promise.race([once(mover.stdout, "data"), ended]);
  ended.catch(() => {});
  return { mover, to };
}

/** Waits until an order that was placed from now on is answered; returns the milliseconds until then. */
function untilTraded(): Promise<number> {
  // Of each caller one order is under way.
  const before = answered.length + CALLERS;
  return until(() => answered.length > before, 60_000, "the partner trades");
}

const isOpen = async () =>
  (await control.database.sql`select from partner_moves where ended_at is null`).length > 0;

/** Trades, and lets the office look every second, while `body` runs. */
async function whileWatched(body: () => Promise<void>): Promise<void> {
  const keeper = moving.createKeeper();
  const ending = new AbortController();
  const looking = (async () => {
    while (!ending.signal.aborted) {
      await keeper.look();
      await pause(1_000, undefined, { signal: ending.signal }).catch(() => {});
    }
  })();
  try {
    await moving.whileTrading(CALLERS, body, PAUSE_MS);
  } finally {
    ending.abort();
    await looking;
    await keeper.stop();
  }
}

test(`none of ${KILLS} movers killed at each step keeps its partner from trading for 10 s (F84)`, async (t) => {
  await whileWatched(async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      const step = MOVE_STEPS[kill % MOVE_STEPS.length]!;
      const { mover, to } = await startMover(step);
      const [waitedMs] = await Promise.all([untilTraded(), endProcess(mover, "SIGKILL")]);
      assert(waitedMs < BOUND_MS, `${step}: traded after ${waitedMs} ms`);
      await until(async () => !await isOpen(), 30_000, `the move ends, killed before ${step}`);
      assertEquals(await moving.homes(), [to], step);
      t.diagnostic(`${step}: traded after ${waitedMs} ms`);
    }
  });
  await moving.assertNothingLost();
});

test("a mover that hangs after its partner has left keeps it from trading for no more than 10 s", async () => {
  await whileWatched(async () => {
    const { mover, to } = await startMover("enter");
    mover.kill("SIGSTOP");
    try {
      const waitedMs = await untilTraded();
      assert(waitedMs < BOUND_MS, `traded after ${waitedMs} ms`);
      await until(async () => !await isOpen());
      assertEquals(await moving.homes(), [to]);
    } finally {
      await endProcess(mover, "SIGKILL");
    }
  });
  await moving.assertNothingLost();
});
