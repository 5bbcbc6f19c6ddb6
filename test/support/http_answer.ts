/** The status line and headers of an HTTP answer, and the offset of its body. */
export interface AnswerHead {
  status: number;
  headers: Map<string, string>;
  bodyAt: number;
}

/** Reads the head of an answer (Latin-1); undefined if it is incomplete. */
export function readHead(text: string): AnswerHead | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = new Map(lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  }));
  return { status: Number(first.split(" ")[1] ?? 0), headers, bodyAt: end + 4 };
}

/** Reads the body after a head and the offset of its end; undefined if it is incomplete. */
export function readBody(
  text: string,
  { headers, bodyAt }: AnswerHead,
): { body: string; end: number } | undefined {
  if (headers.get("transfer-encoding") !== "chunked") {
    const end = bodyAt + Number(headers.get("content-length") ?? 0);
    return text.length < end ? undefined : { body: text.slice(bodyAt, end), end };
  }
  let body = "";
  for (let at = bodyAt;;) {
    const start = text.indexOf("\r\n", at) + 2;
    const size = parseInt(text.slice(at, start), 16);
    const end = start + size + 2;
    if (start < 2 || text.length < end) return undefined;
    body += text.slice(start, start + size);
    if (size === 0) return { body, end };
    at = end;
  }
}
