/** `npm run bench`: runs the measures and reports which goals are met. */
import { writeFile } from "node:fs/promises";
import process from "node:process";
import { endChildrenAtSignals } from "../../tools/programs/end_children_at_signals.ts";
import { startLoader } from "./loader/start_loader.ts";
import { describeCommit, describeMachine, describeRuntime } from "./machine.ts";
import type { Bench } from "./measure.ts";
import { type BenchOptions, chooseMeasures, help, readOptions, WrongUsage } from "./options.ts";
import { startProgress } from "./progress.ts";
import type { Ratio } from "./ratio.ts";
import { table } from "./table.ts";
import { createWorld, type World } from "./world/world.ts";

/** Runs the chosen measures; resolves with true if every goal is met and no measure failed. */
async function bench(options: BenchOptions): Promise<boolean> {
  const chosen = chooseMeasures(options);
  const progress = startProgress();
  const loader = startLoader();
  let world: Promise<World> | undefined;
  const notes: string[] = [];
  const parts: Bench = {
    quick: options.quick,
    rounds: options.rounds,
    seconds: options.seconds,
    progress,
    loader,
    rows: options.rows,
    against: options.against,
    world: () => world ??= createWorld(progress),
    note: (text) => void notes.push(text),
  };
  const ratios: Ratio[] = [];
  const failed: string[] = [];
  try {
    for (const measure of chosen) {
      progress.say(`${measure.name}: ${measure.asks}`);
      try {
        ratios.push(...await measure.run(parts));
      } catch (error) {
        failed.push(measure.name);
        progress.say(`${measure.name} failed: ${(error as Error).stack ?? String(error)}`);
      }
    }
  } finally {
    await loader.stop();
    await world?.then((made) => made.close(), () => undefined);
  }
  const version = (await world?.catch(() => undefined))?.version ?? "no PostgreSQL";
  const machine = describeMachine(version);
  for (const note of notes) console.log(`\n${note}`);
  await report(options, ratios, failed, machine);
  return failed.length === 0 && ratios.every((ratio) => ratio.met);
}

async function report(
  options: BenchOptions,
  ratios: Ratio[],
  failed: readonly string[],
  machine: string,
): Promise<void> {
  const commit = describeCommit();
  console.log(`\ncommit ${commit} · ${machine}${options.quick ? " · quick" : ""}\n`);
  if (ratios.length > 0) console.log(table(ratios));
  for (const name of failed) console.log(`${name} FAILED: no figure`);
  if (options.json !== undefined) {
    const result = { commit, machine, runtime: describeRuntime(), ratios };
    await writeFile(options.json, JSON.stringify(result, undefined, 2) + "\n");
  }
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(help());
  else {
    endChildrenAtSignals();
    process.exitCode = await bench(options) ? 0 : 1;
  }
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = error instanceof WrongUsage ? 2 : 1;
}
