import { encodeUtf8 } from "@sabika/protocol";

/** The media type of CSV files. */
export const CSV = "text/csv; charset=utf-8";

/** Makes a download under a file name, as it is. */
export function download(
  name: string,
  type: string,
  body: string | ReadableStream<Uint8Array>,
): Response {
  return new Response(body, {
    headers: {
      "content-type": type,
      "content-disposition": `attachment; filename="${name}"`,
    },
  });
}

/** Makes a download of a JSON text, byte for byte as it is. */
export const jsonFile = (name: string, text: string): Response =>
  download(name, "application/json", text);

/** Makes a CSV download under a file name, streamed piece by piece. */
export function csvAnswer(name: string, pieces: AsyncGenerator<string, void, void>): Response {
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await pieces.next();
      if (next.done === true) controller.close();
      else controller.enqueue(encodeUtf8(next.value));
    },
    async cancel() {
      await pieces.return();
    },
  });
  return download(name, CSV, body);
}

/**
 * Makes a download of lines of JSON under a file name.
 *
 * @param body writes the lines; it is not called again before a line was taken
 */
export function linesAnswer(
  name: string,
  body: (write: (line: string) => Promise<void>) => Promise<void>,
): Response {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  // An error, such as a reader that went away, ends the answer before its last line.
  body((line) => writer.write(encodeUtf8(`${line}\n`)))
    .then(() => writer.close())
    .catch((error) => writer.abort(error).catch(() => {}));
  return download(name, "application/jsonl; charset=utf-8", readable);
}
