/** A pasted request: the target of its first line, if any, its headers and its body. */
export interface PastedMessage {
  method: string | undefined;
  /** A URL or a path; undefined if the message begins with a header. */
  target: string | undefined;
  /** Looks up a header by its lower-case name. */
  headers: { get(name: string): string | undefined };
  /** The body as pasted, and without the line feed that an editor may have added. */
  bodies: readonly string[];
}

const FIRST_LINE = /^([A-Z]+) +(\S+)(?: +HTTP\/[\d.]+)?$/;
const HEADER_LINE = /^[<>\s]*([\w-]+): *(.*?) *$/;
const EMPTY_LINE = /\r?\n[<>]?[ \t]*\r?\n/;

/**
 * Reads a pasted HTTP message: optionally `POST URL`, then headers, an empty line, and the unchanged body.
 * Lines may begin with `<` or `>`, as in the output of curl -v.
 *
 * @returns undefined if the message has no header
 */
export function readPastedMessage(text: string): PastedMessage | undefined {
  const message = text.trimStart();
  const empty = EMPTY_LINE.exec(message);
  const head = empty === null ? message : message.slice(0, empty.index);
  const lines = head.split(/\r?\n/);
  const [, method, target] = FIRST_LINE.exec(lines[0]!.replace(/^[<>]\s*/, "")) ?? [];
  const headers = new Map<string, string>();
  for (const line of method === undefined ? lines : lines.slice(1)) {
    const [, name, value = ""] = HEADER_LINE.exec(line) ?? [];
    if (name !== undefined) headers.set(name.toLowerCase(), value);
  }
  if (headers.size === 0) return undefined;
  const body = empty === null ? "" : message.slice(empty.index + empty[0].length);
  return {
    method,
    target,
    headers,
    bodies: [...new Set([body, body.replace(/\r?\n$/, "")])],
  };
}
