/** A request as it was pasted: its first line if there was one, headers, and the body. */
export interface PastedMessage {
  method: string | undefined;
  /** A URL or a path. */
  target: string | undefined;
  /** Looks up a header by its lower-case name. */
  headers: { get(name: string): string | undefined };
  /** As pasted, and without the line feed that an editor puts at its end. */
  bodies: readonly string[];
}

const FIRST_LINE = /^([A-Z]+) +(\S+)(?: +HTTP\/[\d.]+)?$/;
const HEADER_LINE = /^[<>\s]*([\w-]+): *(.*?) *$/;

/**
 * Reads a pasted HTTP message: perhaps `POST URL`, then headers, an empty line, and the body, which is
 * taken as it is. Lines may begin with `<` or `>` as curl -v shows them.
 *
 * @returns undefined when it has no header
 */
export function readPastedMessage(text: string): PastedMessage | undefined {
  const [head = "", ...rest] = text.replace(/^\s+/, "").split(/\r?\n[<>]?[ \t]*\r?\n/);
  const lines = head.split(/\r?\n/);
  const [, method, target] = FIRST_LINE.exec(lines[0]!.replace(/^[<>]\s*/, "")) ?? [];
  const headers = new Map<string, string>();
  for (const line of method === undefined ? lines : lines.slice(1)) {
    const [, name, value = ""] = HEADER_LINE.exec(line) ?? [];
    if (name !== undefined) headers.set(name.toLowerCase(), value);
  }
  if (headers.size === 0) return undefined;
  const body = rest.length === 0 ? "" : text.slice(text.length - bodyLength(text));
  return {
    method,
    target,
    headers,
    bodies: [...new Set([body, body.replace(/\r?\n$/, "")])],
  };
}

/** How many characters stand behind the first empty line. */
function bodyLength(text: string): number {
  const trimmed = text.replace(/^\s+/, "");
  const empty = /\r?\n[<>]?[ \t]*\r?\n/.exec(trimmed)!;
  return trimmed.length - empty.index - empty[0].length;
}
