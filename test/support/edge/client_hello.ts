import { connect } from "node:net";

/** A server's answer to a TLS ClientHello: `alert <number>`, `hello` (a ServerHello), or `closed`. */
export type HelloAnswer = `alert ${number}` | "hello" | "closed";

/**
 * Sends a ClientHello of an old version or with old ciphers, which today's libraries refuse to
 * make, and resolves with the server's answer.
 */
export function sayHello(
  port: number,
  version: number,
  ciphers: readonly number[],
): Promise<HelloAnswer> {
  const record = clientHello(version, ciphers);
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(record));
    socket.on("data", (answer: Uint8Array) => {
      resolve(answer[0] === 21 ? `alert ${answer[6]!}` : "hello");
      socket.destroy();
    });
    socket.on("close", () => resolve("closed"));
    socket.on("error", reject);
  });
}

/**
 * Builds a ClientHello in a TLS record.
 *
 * @param version e.g. 0x0302 for TLS 1.1, 0x0303 for TLS 1.2
 * @param ciphers numbers of cipher suites (RFC 5246 A.5)
 */
export function clientHello(version: number, ciphers: readonly number[]): Uint8Array {
  const uint16 = (n: number) => [n >> 8, n & 255];
  const extension = (
    type: number,
    bytes: number[],
  ) => [...uint16(type), ...uint16(bytes.length), ...bytes];
  const extensions = [
    ...extension(10, [...uint16(4), ...uint16(29), ...uint16(23)]), // supported_groups: X25519, P-256
    ...extension(11, [1, 0]), // ec_point_formats: uncompressed
    ...extension(13, [...uint16(4), ...uint16(0x0403), ...uint16(0x0203)]), // ECDSA with SHA-256, with SHA-1
  ];
  const body = [
    ...uint16(version),
    ...crypto.getRandomValues(new Uint8Array(32)),
    0, // no session to resume
    ...uint16(ciphers.length * 2),
    ...ciphers.flatMap(uint16),
    1,
    0, // no compression
    ...uint16(extensions.length),
    ...extensions,
  ];
  const handshake = [1, 0, ...uint16(body.length), ...body];
  return Uint8Array.from([22, ...uint16(0x0301), ...uint16(handshake.length), ...handshake]);
}
