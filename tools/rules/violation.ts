/** A place where the repository breaks one of its own rules. */
export interface Violation {
  path: string;
  line: number;
  message: string;
}

/** `path:line: message`, as editors understand it. */
export function formatViolation({ path, line, message }: Violation): string {
  return `${path}:${line}: ${message}`;
}
