/** A POST as the bytes that go over the wire; its length is added to the headers. */
export function postBytes(
  path: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
): Uint8Array {
  const lines = Object.entries({ ...headers, "content-length": String(body.length) })
    .map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return Buffer.concat([Buffer.from(`POST ${path} HTTP/1.1\r\n${lines}\r\n`), body]);
}
