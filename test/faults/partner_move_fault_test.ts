/** F84: a partner is moved to and fro under load, and its mover killed at random. */
import type { ChildProcess } from "node:child_process";
import { after, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { assert, assertEquals } from "@std/assert";
import { findOpenMoveOf } from "@sabika/service/moving";
import { endProcess, isRunning, startProgram } from "../../tools/programs/own_process.ts";
import { testRecord } from "../secret_search/record.ts";
import { openMovingPartner } from "../support/moving_partner.ts";
import { sized } from "../support/sized.ts";
import { until } from "../support/until.ts";
import { chanceOf, drawSeed } from "../support/history/chance.ts";

const KILLS = sized(4, 200);
const CALLERS = 8;
/** Between two orders of one caller: at full speed each of hundreds of moves would have more to copy. */
const REST_MS = sized(0, 250);
/** A process that starts, and a whole move, take minutes where the machine is busy with more than this. */
const PATIENCE_MS = 300_000;
/** Some of a fence, and some of what comes after it. */
const SHORT_MS = 200;
const chance = chanceOf(drawSeed());
const moving = await openMovingPartner();
after(moving.close);
const { control } = moving;

/** Where the move goes that is under way, or the next one. */
async function nextCell(): Promise<string> {
  const open = await findOpenMoveOf(control.database.sql, "mover");
  return open?.toCell ?? ((await moving.homes())[0] === "main" ? "b" : "main");
}

/** Gives the command in a process of its own; resolves when that has reached the database. */
async function startMover(to: string) {
  const mover = startProgram("packages/operator/main.ts", moving.env, [
    ...["partner", "move", "mover", "--to", to, "--yes"],
  ]);
  let words = "";
  mover.stderr.setEncoding("utf8").on("data", (text: string) => words += text);
  mover.once("close", () => testRecord.log("sabika-stderr", words));
  const ended = new Promise<void>((resolve, reject) => {
    mover.once("close", (code, signal) => {
      if (code === 0 || signal !== null) resolve();
      else reject(new Error(`sabika partner move: ${code} ${words}`));
    });
  });
  // It is awaited later.
  ended.catch(() => {});
  await until(async () => {
    const found = await control.database.sql`
      select from pg_stat_activity where usename = 'sabika_operator_test'`;
    return found.length > 0 || !isRunning(mover);
  }, PATIENCE_MS);
  return { mover, ended };
}

/**
 * A moment of a move: some time after it has reached a step, as far as control has noted. Each step is as
 * likely as the others, though most of the time is spent on the first.
 */
async function randomMoment(mover: ChildProcess, wholeMs: number): Promise<void> {
  const step = chance.pick(["copying", "fencing", "switched"]);
  await until(async () => {
    const open = await findOpenMoveOf(control.database.sql, "mover");
    return open?.step === step || !isRunning(mover);
  }, PATIENCE_MS);
  await pause(chance.fraction() * (step === "copying" ? wholeMs : SHORT_MS));
}

test(`a mover that is killed ${KILLS} times at random and given again loses and doubles nothing (F84)`, async (t) => {
  const stoppedAt: Record<string, number> = {};
  let moves = 0;
  /** How long an undisturbed move takes. */
  let wholeMs = 0;
  const runThrough = async () => {
    const { ended } = await startMover(await nextCell());
    const sinceMs = performance.now();
    await ended;
    wholeMs = performance.now() - sinceMs;
    moves += 1;
  };
  await moving.whileTrading(CALLERS, async () => {
    await runThrough();
    for (let kills = 0; kills < KILLS;) {
      const to = await nextCell();
      const { mover, ended } = await startMover(to);
      await Promise.race([ended, randomMoment(mover, wholeMs)]);
      if (isRunning(mover)) {
        await endProcess(mover, "SIGKILL");
        kills += 1;
      }
      await ended;
      const homes = await moving.homes();
      assert(homes.length <= 1, homes.join());
      const open = await findOpenMoveOf(control.database.sql, "mover");
      if (open === undefined && homes[0] === to) moves += 1;
      const where = open === undefined ? "none open" : `${open.step}, ${homes.length} homes`;
      stoppedAt[where] = (stoppedAt[where] ?? 0) + 1;
    }
    await runThrough();
  }, REST_MS);
  // A partner between two homes is told to ask again, by the shortest time that the header can say.
  const strange = moving.refused.filter(({ code, retryAfterSeconds }) =>
    code !== "service_unavailable" || retryAfterSeconds !== 1
  );
  assertEquals(strange, []);
  await moving.assertNothingLost();
  t.diagnostic(
    `${moves} moves, ${moving.answered.length} orders, ${moving.refused.length} refused; ` +
      `found after each: ${JSON.stringify(stoppedAt)}`,
  );
});
