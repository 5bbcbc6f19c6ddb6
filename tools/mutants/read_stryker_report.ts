import type { Judgement } from "./kept_results.ts";
import { type Change, type Mutant, placeChanges } from "./mutant.ts";

/** What is read of Stryker's report (mutation-testing-report-schema 3). */
export interface StrykerReport {
  files: Record<string, { mutants: StrykerMutant[] }>;
  /** Their tests' ids; the tap runner has one for each file. */
  testFiles?: Record<string, { tests: { id: string }[] }>;
}

interface StrykerMutant {
  mutatorName: string;
  replacement: string;
  status: string;
  /** The ids of the tests that failed. */
  killedBy?: string[];
  /** The names of the tests that failed. */
  statusReason?: string;
  location: { start: Place; end: Place };
}

/** Lines and columns begin with 1. */
interface Place {
  line: number;
  column: number;
}

/** Reads Stryker's mutants of a file and what became of them. */
export function readStrykerReport(
  file: string,
  text: string,
  { files, testFiles = {} }: StrykerReport,
): { mutant: Mutant; judgement: Judgement }[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  const offset = ({ line, column }: Place) => starts[line - 1]! + column - 1;
  const nameOf = ({ start, end, replacement }: Change) => `${start} ${end} ${replacement}`;
  const judgements = new Map<string, Judgement>();
  const changes = (files[file]?.mutants ?? []).map((mutant) => {
    const change: Change = {
      kind: mutant.mutatorName.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase(),
      start: offset(mutant.location.start),
      end: offset(mutant.location.end),
      replacement: mutant.replacement,
    };
    judgements.set(nameOf(change), judge(mutant, testFiles));
    return change;
  });
  return placeChanges(file, text, changes)
    .map((mutant) => ({ mutant, judgement: judgements.get(nameOf(mutant))! }));
}

function judge(
  { status, killedBy = [], statusReason: test = status }: StrykerMutant,
  testFiles: StrykerReport["testFiles"] = {},
): Judgement {
  const [file = ""] = Object.keys(testFiles)
    .filter((path) => testFiles[path]!.tests.some(({ id }) => killedBy.includes(id)));
  if (status === "Killed" || status === "Timeout") return { outcome: "found", file, test };
  if (status === "Survived" || status === "NoCoverage") return { outcome: "lives" };
  return { outcome: "refused" };
}
