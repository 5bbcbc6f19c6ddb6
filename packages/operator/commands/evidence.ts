import { buildRouteMap } from "@stricli/core";
import { createEvidenceJudge, type EvidenceFinding, formatTime } from "@sabika/protocol";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { command, readFlag, textFlag } from "../command/command.ts";
import { moment, momentAfter } from "../command/parsers.ts";
import { table } from "../command/table.ts";
import { OUT_FILE, writeLines } from "../command/write_lines.ts";
import { notFound, RefusedError, UsageError } from "../outcome.ts";

interface ExportFlags {
  out: string;
  from?: number;
  until?: number;
  partner?: string;
}

const exportEvidence = command<ExportFlags, []>({
  brief: "Write a period's orders and withdrawals to a file, with the signed requests behind them",
  more:
    "The file has the partners' keys of that time. `evidence verify FILE` judges it wherever it is;\n" +
    "docs/operator/check-the-books.md shows how others can.",
  examples: [
    "evidence export --out evidence.jsonl",
    "evidence export --from 2026-11-01 --until 2026-11-30 --partner bank-one --out november.jsonl",
  ],
  flags: {
    out: OUT_FILE,
    from: readFlag(moment, "From this day or time on", "TIME"),
    until: readFlag(momentAfter, "Until this day or time", "TIME"),
    partner: textFlag("Of this partner alone", "ID"),
  },
  async run(session, { out, from = 0, until = session.nowMs, partner }) {
    const { openEvidence, writeEvidenceFile } = await import("@sabika/office/oversight");
    const at = await session.atDatabase();
    const control = await at.database();
    const opened = await openEvidence(
      { control, openCell: (cellId) => at.databaseOf(cellId) },
      { clientId: partner, fromMs: from, untilMs: until },
    );
    if (opened === undefined) throw notFound(`partner "${partner}"`);
    const { keys, facts } = opened;
    const head = { environment: await at.environment(), fromMs: from, untilMs: until, keys };
    const lines = await writeLines(out, writeEvidenceFile(head, facts));
    return { json: { file: out, facts: lines - 2 }, text: `${lines - 2} facts are in ${out}\n` };
  },
});

const verify = command<object, [string]>({
  brief: "Judge what `evidence export` wrote, without a database: exit 1 when anything is wrong",
  more:
    "Each order and withdrawal must be what its partner signed, with a key of the file. Compare the\n" +
    "keys with those that the partner knows as its own.",
  examples: ["evidence verify evidence.jsonl"],
  args: [["FILE", "What `evidence export` wrote"]],
  async run(_session, _flags, path) {
    const { head, facts, withoutEvidence, findings } = await judgeFile(path);
    return {
      failed: findings.length > 0,
      json: {
        ok: findings.length === 0,
        from: formatTime(head.fromMs),
        until: formatTime(head.untilMs),
        facts,
        without_evidence: withoutEvidence,
        findings: findings.map(({ clientId, ...finding }) => ({ client_id: clientId, ...finding })),
      },
      text: findings.length === 0
        ? `all is well: ${facts} facts, ${withoutEvidence} of them from before evidence was kept\n`
        : table(
          ["PARTNER", "KIND", "ID", "FAULT"],
          findings.map((found: EvidenceFinding) => [
            found.clientId,
            found.kind,
            found.id,
            found.fault,
          ]),
        ),
    };
  },
});

async function judgeFile(path: string) {
  const lines = createInterface({ input: createReadStream(path, "utf8"), crlfDelay: Infinity });
  try {
    const judge = createEvidenceJudge();
    for await (const line of lines) await judge.add(line);
    return judge.end();
  } catch (error) {
    if (error instanceof SyntaxError) {
      throw new UsageError(`${path} is not what \`evidence export\` writes: ${error.message}`);
    }
    const { code } = error as { code?: string };
    if (code === undefined) throw error;
    throw new RefusedError("no_file", `the export ${path} cannot be read (${code})`);
  }
}

/** `sabika evidence …` */
export const evidence = buildRouteMap({
  docs: { brief: "The signed requests behind what partners did" },
  routes: { export: exportEvidence, verify },
});
