import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { openDatabase } from "@sabika/database";
import { MAIN_CELL } from "@sabika/service/cells";
import { beginMove, holdMoves, movePartner } from "@sabika/service/moving";
import { random } from "./random.ts";

/**
 * A mover as a process that a test kills; arguments: `CONTROL_URL CELL_URL PARTNER_ID CLIENT_ID TO STEP`. It
 * moves the partner as the command does, says `STEP` before that step, and waits there.
 */
const [controlUrl = "", cellUrl = "", id = "", clientId = "", toCell = "", lastStep] = process.argv
  .slice(2);
const [control, cell] = [openDatabase(controlUrl), openDatabase(cellUrl)];
const held = await holdMoves({
  control,
  databaseOf: (name) => Promise.resolve(name === MAIN_CELL ? control : cell),
}, Number(id));
const begun = await beginMove({
  database: control,
  environment: "sandbox",
  actor: { who: "mover", from: "test" },
  now: Date.now,
  random,
}, { clientId, toCell });
if (!begun.ok) throw new Error(begun.detail);
await movePartner(held, {
  now: Date.now,
  monotonic: () => performance.now(),
  pause: (ms) => pause(ms),
  async onStep(step) {
    if (step !== lastStep) return;
    process.stdout.write(step);
    await new Promise(() => {});
  },
}, begun.value);
