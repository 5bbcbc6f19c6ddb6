/** A place where the repository breaks one of its rules: a path from its root, a line from 1. */
export interface Violation {
  path: string;
  line: number;
  message: string;
}

/** `path:line: message`, as editors understand it. */
export function formatViolation({ path, line, message }: Violation): string {
  return `${path}:${line}: ${message}`;
}

/** The line, counted from 1, that has the character at `index`. */
export function lineOf(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}
