import { homedir } from "node:os";
import { ROOT, type SourceFile } from "./repository_files.ts";
import { lineOf, type Violation } from "./violation.ts";

/** Finds traces of a particular machine: its folders and its package registry. */
export function checkMachineTraces(files: readonly SourceFile[]): Violation[] {
  const traces: [RegExp, string][] = [
    [/"resolved": "https?:/, "the lock file names a registry host"],
    [/https?:\/\/[\w.-]*\/(artifactory|repository)\//, "names a private registry"],
    [/(^|[\s"'`=(])\/(root|home\/\w+|Users\/\w+)\//, "names a home folder"],
  ];
  for (const folder of new Set([ROOT, homedir()])) {
    if (folder.length > 4) {
      traces.push([
        new RegExp(`(^|[\\s"'\`=(:])${literal(folder)}\\b`, "m"),
        "names a folder of this machine",
      ]);
    }
  }
  const found: Violation[] = [];
  for (const { path, text } of files) {
    for (const [pattern, message] of traces) {
      const match = pattern.exec(text);
      if (match === null) continue;
      found.push({ path, line: lineOf(text, match.index), message });
    }
  }
  return found;
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
