/** Makes a CSV download under a file name, streamed piece by piece. */
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
  const encoder = new TextEncoder();
  // An error, such as a reader that went away, ends the answer before its last line.
  body((line) => writer.write(encoder.encode(`${line}\n`)))
    .then(() => writer.close())
    .catch((error) => writer.abort(error).catch(() => {}));
  return new Response(readable, {
    headers: {
      "content-type": "application/jsonl; charset=utf-8",
      "content-disposition": `attachment; filename="${name}"`,
    },
  });
}
