import { readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { type Stack, startStack } from "@sabika/deployment";
import { closeRecorded } from "../stack/stack_for_tests.ts";
import { findProgram } from "../../../tools/programs/find_program.ts";
import { testRecord } from "../../secret_search/record.ts";
import type { SummaryData } from "@sabika/loadtest/summary";
import { type K6End, runK6 } from "@sabika/loadtest/run_k6";
import { type PassingAnswer, startWrongServer } from "./wrong_server.ts";
import { temporaryFolder } from "../temporary_folder.ts";

/** How a script ended, and what it wrote. */
export interface ScriptEnd extends K6End {
  summary(): Promise<SummaryData>;
}

/** A stack that k6 scripts are run against; each run has a partner of its own. */
export type K6Stack = Awaited<ReturnType<typeof startK6Stack>>;

/** What becomes of an answer on its way to the caller. */
export type Spoil = (answer: PassingAnswer) => { status: number; body: string };

export interface RunOptions {
  baseUrl?: string;
  kit?: string;
}

/**
 * Starts a stack of two servers behind Envoy with so many partners. Other tests share the machine,
 * and here the scripts' verdicts are tested, not the service's speed: the latency thresholds are wide.
 */
export async function startK6Stack(partners: number) {
  process.env.SABIKA_SLOWNESS = "20";
  // In thirty iterations half of which send something again, some do.
  process.env.SABIKA_REPLAY_SHARE = "0.5";
  const k6 = (await findProgram("k6")).command;
  const folder = temporaryFolder();
  const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
  const stack: Stack = await startStack(
    { dataFolder: join(folder, "data"), port: 0, instances: 2, partners },
    { now: Date.now, random },
  );
  let runs = 0;
  const nextKit = () => stack.kits[runs % partners]!;

  async function run(script: string, more: RunOptions = {}): Promise<ScriptEnd> {
    const kit = nextKit();
    const summary = join(folder, `${script}-${runs++}.json`);
    const end = await runK6({
      k6,
      script: fileURLToPath(new URL(`../../../loadtest/${script}.ts`, import.meta.url)),
      kit,
      rate: "10",
      duration: "3s",
      summary,
      show: false,
      ...more,
    });
    testRecord.log(`k6-${script}`, end.output);
    return { ...end, summary: async () => JSON.parse(await readFile(summary, "utf8")) };
  }

  return {
    /** Of what the scripts write. */
    folder,
    kits: stack.kits,
    run,
    /** Like `run`, but against a server that spoils its answers. */
    async runAgainst(script: string, spoil: Spoil) {
      const kit = nextKit();
      const wrong = await startWrongServer(kit, spoil);
      try {
        return await run(script, { baseUrl: wrong.baseUrl, kit });
      } finally {
        await wrong.stop();
      }
    },
    async stop() {
      await closeRecorded(stack, join(folder, "data"));
    },
  };
}
