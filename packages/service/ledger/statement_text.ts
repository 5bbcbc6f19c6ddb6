import {
  encodeUtf8,
  LEDGER_ENTRY,
  type LedgerEntry,
  STATEMENT,
  statementToCsv,
} from "@sabika/protocol";
import type { OpenStatement } from "./statement.ts";

/** Streams the statement as `STATEMENT.write` writes it: UTF-8 JSON, page by page. */
export function statementJsonStream(statement: OpenStatement): ReadableStream<Uint8Array> {
  const empty = STATEMENT.write({ ...statement, entries: [] });
  const end = empty.lastIndexOf("]");
  let written = false;
  return streamOf(statement, empty.slice(0, end), empty.slice(end), (page) => {
    const text = (written ? "," : "") + page.map(LEDGER_ENTRY.write).join(",");
    written = true;
    return text;
  });
}

/** Streams the statement's entries as `statementToCsv` writes them: UTF-8 CSV, page by page. */
export function statementCsvStream(statement: OpenStatement): ReadableStream<Uint8Array> {
  const columns = statementToCsv({ ...statement, entries: [] });
  return streamOf(
    statement,
    columns,
    "",
    (page) => statementToCsv({ ...statement, entries: page }).slice(columns.length),
  );
}

/** Reads the next page when the previous one was consumed; ends when the reader cancels. */
function streamOf(
  statement: OpenStatement,
  head: string,
  tail: string,
  render: (page: LedgerEntry[]) => string,
): ReadableStream<Uint8Array> {
  const pages = statement.pages();
  return new ReadableStream({
    start(controller) {
      controller.enqueue(encodeUtf8(head));
    },
    async pull(controller) {
      const next = await pages.next();
      if (!next.done) return controller.enqueue(encodeUtf8(render(next.value)));
      if (tail !== "") controller.enqueue(encodeUtf8(tail));
      controller.close();
    },
    async cancel() {
      await pages.return();
    },
  });
}
