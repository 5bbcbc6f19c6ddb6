import { createHash } from "node:crypto";

/** A change of a source file that a test should notice. */
export interface Mutant {
  /** The file's path from the repository's root. */
  file: string;
  /** What the change is, in a few words. */
  kind: string;
  /** The text from `start` to `end` becomes `replacement`. */
  start: number;
  end: number;
  replacement: string;
  /** The lines that change, from 1. */
  line: number;
  lastLine: number;
  /** The changed lines before and after, each without the space around it. */
  before: string;
  after: string;
  /** Which of the file's mutants with the same lines before and after this is, from 1. */
  nth: number;
}

/** A change before it is placed in its file. */
export type Change = Pick<Mutant, "kind" | "start" | "end" | "replacement">;

/** Makes the mutants of a file from changes, in the order of their places; equal ones only once. */
export function placeChanges(file: string, text: string, changes: readonly Change[]): Mutant[] {
  const seen = new Set<string>();
  const counts = new Map<string, number>();
  const mutants: Mutant[] = [];
  for (const change of [...changes].sort((a, b) => a.start - b.start || a.end - b.end)) {
    const mutated = withChange(text, change);
    if (mutated === text || seen.has(mutated)) continue;
    seen.add(mutated);
    const from = text.lastIndexOf("\n", change.start - 1) + 1;
    const next = text.indexOf("\n", change.end);
    const to = next < 0 ? text.length : next;
    const before = trimLines(text.slice(from, to));
    const after = trimLines(mutated.slice(from, to + mutated.length - text.length));
    const nth = (counts.get(`${before}\0${after}`) ?? 0) + 1;
    counts.set(`${before}\0${after}`, nth);
    const line = text.slice(0, from).split("\n").length;
    const lastLine = line + text.slice(from, to).split("\n").length - 1;
    mutants.push({ ...change, file, line, lastLine, before, after, nth });
  }
  return mutants;
}

/** Returns a file's text with a change. */
export function withChange(text: string, { start, end, replacement }: Change): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

/** Identifies a mutant by its content: it stays the same when lines are added elsewhere in the file. */
export type MutantIdentity = Pick<Mutant, "file" | "before" | "after" | "nth">;

/** Returns a short name of an identity. */
export function nameMutant({ file, before, after, nth }: MutantIdentity): string {
  return hashText([file, before, after, nth].join("\0"));
}

/** Returns 16 hexadecimal digits of a text's SHA-256. */
export function hashText(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** Formats a mutant as a diff under its place and name. */
export function formatDiff(mutant: Mutant): string[] {
  const signed = (sign: string, text: string) =>
    text === "" ? [] : text.split("\n").map((line) => `  ${sign} ${line}`);
  return [
    `${mutant.file}:${mutant.line} ${mutant.kind} (${nameMutant(mutant)})`,
    ...signed("-", mutant.before),
    ...signed("+", mutant.after),
  ];
}

function trimLines(text: string): string {
  return text.split("\n").map((line) => line.trim()).filter((line) => line !== "").join("\n");
}
