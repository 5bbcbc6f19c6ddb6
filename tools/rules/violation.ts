/** A violation of a rule: a path from the repository's root, and a line, from 1. */
export interface Violation {
  path: string;
  line: number;
  message: string;
}

/** Formats a violation as `path:line: message`, which editors understand. */
export function formatViolation({ path, line, message }: Violation): string {
  return `${path}:${line}: ${message}`;
}

/** Returns the line, from 1, of the character at `index`. */
export function lineOf(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}
