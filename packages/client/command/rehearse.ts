import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { formatTime } from "@sabika/protocol";
import { riyals } from "../amounts.ts";
import { createClient } from "../client.ts";
import type { Client } from "../client_interface.ts";
import { SabikaError } from "../sabika_error.ts";
import { KIT_OPTION, openKitOf } from "./files.ts";
import { bad, type Command, CommandError, good, type Io, UsageError } from "./io.ts";
import { CASES } from "./rehearsal/plan.ts";
import { programIntegration } from "./rehearsal/program_integration.ts";
import { receive } from "./rehearsal/receive.ts";
import { type Report, type ReportedCase, reportPage, summaryOf } from "./rehearsal/report.ts";
import { sdkIntegration } from "./rehearsal/sdk_integration.ts";
import { NotRun, type Stage, Unmet } from "./rehearsal/stage.ts";

/** Enough for all cases. */
const FUNDS_HALALAS = riyals("20000");
/** To be sold. */
const GOLD = { side: "buy", goldMicrograms: 1_000_000n } as const;

/** `sabika-client rehearse` */
export const rehearse: Command = {
  summary: "rehearse the acceptance plan in the sandbox, and write its report",
  help: `Rehearses the acceptance plan of docs/rehearsal.md in the sandbox, case after case.

  sabika-client rehearse [--kit FOLDER] [--program COMMAND] [--case N[,N…]] [--out REPORT]

  --kit FOLDER       the partner kit, of the sandbox; by default of SABIKA_KIT…, else this folder
  --program COMMAND  your own integration: reads steps and writes results, a line of JSON each;
                     the SDK by default
  --case N           only these cases
  --out REPORT       writes REPORT.json and REPORT.html, for the operator

Exit code 0: every case that was run holds.`,
  async run(args, io) {
    const { values } = parseArgs({
      args,
      options: {
        ...KIT_OPTION,
        program: { type: "string" },
        case: { type: "string" },
        out: { type: "string" },
      },
    });
    const cases = casesOf(values.case);
    const kit = await openKitOf(values.kit, io);
    if (kit.environment !== "sandbox") {
      throw new CommandError("this kit is for production: rehearse with the sandbox's");
    }
    const signal = io.interrupted;
    const examiner = createClient(kit);
    const receiver = values.program === undefined ? await receive(kit) : undefined;
    const integration = values.program === undefined
      ? sdkIntegration(kit, receiver?.handled, signal)
      : programIntegration(values.program);
    try {
      await prepare(examiner, kit.webhookUrl !== null);
      const beganAtMs = io.now();
      const reported: ReportedCase[] = [];
      for (const rehearsed of cases) {
        reported.push(await runCase(rehearsed, { integration, examiner, signal }, io));
      }
      const report: Report = {
        partner: kit.clientId,
        environment: kit.environment,
        base_url: kit.baseUrl,
        integration: integration.name,
        began_at: formatTime(beganAtMs),
        ended_at: formatTime(io.now()),
        cases: reported,
      };
      io.print(summaryOf(reported));
      if (values.out !== undefined) await writeReport(values.out, report, io);
      return reported.some(({ result }) => result === "fails") ? 1 : 0;
    } finally {
      await integration.close();
      receiver?.close();
      await examiner.close();
    }
  },
};

function casesOf(text: string | undefined): typeof CASES {
  if (text === undefined) return CASES;
  return text.split(",").map((number) => {
    const found = CASES.find((rehearsed) => String(rehearsed.number) === number);
    if (found === undefined) throw new UsageError(`--case is a number from 1 to ${CASES.length}`);
    return found;
  });
}

/** Money to trade with, gold to sell, and an endpoint that is not given up. */
async function prepare(examiner: Client, hasEndpoint: boolean): Promise<void> {
  if (hasEndpoint) await examiner.enableWebhook();
  await examiner.fund({ amountHalalas: FUNDS_HALALAS });
  const { id: quoteId } = await examiner.quote(GOLD);
  await examiner.order({ quoteId });
}

async function runCase(
  { run, ...described }: (typeof CASES)[number],
  stage: Stage,
  io: Io,
): Promise<ReportedCase> {
  const beganMs = io.now();
  const outcome = await run(stage).then(
    () => ({ result: "holds", seen: null }) as const,
    (error: unknown) => {
      if (stage.signal.aborted) throw error;
      if (error instanceof NotRun) return { result: "not_run", seen: error.message } as const;
      const isSeen = error instanceof Unmet || error instanceof SabikaError;
      if (!isSeen) throw error;
      return { result: "fails", seen: error.message } as const;
    },
  );
  const { number, title } = described;
  const mark = outcome.result === "fails" ? bad(io, "fails") : good(io, outcome.result);
  const seen = outcome.seen === null ? "" : `: ${outcome.seen}`;
  io.print(`${String(number).padStart(2)} ${mark} ${title}${seen}`);
  return { ...described, ...outcome, duration_ms: Math.round(io.now() - beganMs) };
}

async function writeReport(name: string, report: Report, io: Io): Promise<void> {
  await writeFile(`${name}.json`, `${JSON.stringify(report, undefined, 2)}\n`);
  await writeFile(`${name}.html`, reportPage(report));
  io.print(`the report: ${name}.json and ${name}.html`);
}
