/** A cell of a CSV file; null is an empty one. */
export type Cell = string | number | null;

/** What a spreadsheet takes for a formula; a partner's text must not become one. */
const FORMULA = /^[=+\-@\t\r]/;

/** A line of CSV (RFC 4180). Texts that a spreadsheet would calculate begin with an apostrophe. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(written).join(",")}\r\n`;
}

function written(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A CSV download under a file name, streamed piece by piece. */
export function csvAnswer(name: string, pieces: AsyncGenerator<string, void, void>): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await pieces.next();
      if (next.done === true) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
    async cancel() {
      await pieces.return();
    },
  });
  return new Response(body, {
    headers: {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="${name}"`,
    },
  });
}
