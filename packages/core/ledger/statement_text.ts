import {
  encodeUtf8,
  type LedgerEntry,
  ledgerEntryToJson,
  statementToCsv,
  statementToJson,
} from "@sabika/protocol";
import type { OpenStatement } from "./statement.ts";

/** The statement as `statementToJson` writes it, piece by piece. */
export function statementJsonStream(statement: OpenStatement): ReadableStream<Uint8Array> {
  const empty = statementToJson({ ...statement, entries: [] });
  const end = empty.lastIndexOf("]");
  let written = false;
  return streamOf(statement, empty.slice(0, end), empty.slice(end), (page) => {
    const text = (written ? "," : "") + page.map(ledgerEntryToJson).join(",");
    written = true;
    return text;
  });
}

/** The statement's entries as `statementToCsv` writes them, piece by piece. */
export function statementCsvStream(statement: OpenStatement): ReadableStream<Uint8Array> {
  const columns = statementToCsv({ ...statement, entries: [] });
  return streamOf(
    statement,
    columns,
    "",
    (page) => statementToCsv({ ...statement, entries: page }).slice(columns.length),
  );
}

/** Reads the next page when the reader has taken the last one; ends when the reader goes away. */
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
