import net from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { connect } from "./connection.ts";
import { drive, WrongAnswer } from "./drive.ts";

const bytes = (text: string) => Buffer.from(text, "latin1");

/** A server that answers each request with what `answer` returns for its number. */
async function withServer(
  answer: (number: number) => string,
  run: (path: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "sabika-loader-"));
  const path = join(folder, "socket");
  let number = 0;
  const server = net.createServer((socket) => {
    socket.on("data", () => socket.write(answer(number++)));
    socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  try {
    await run(path);
  } finally {
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true });
  }
}

test("drive() by a pace counts a latency from the moment when the request was due", async () => {
  await withServer(() => "HTTP/1.1 429 Slow\r\nContent-Length: 0\r\n\r\n", async (path) => {
    const connection = await connect({ kind: "socket", path }, () => undefined);
    // Ten requests a second, but the clock goes a second each time it is read: all but the first come late.
    let clock = 0;
    const requests = Array.from({ length: 5 }, () => bytes("x"));
    const result = await drive([connection], requests, {
      seconds: 600,
      pace: 10,
      expected: [201, 429],
      nowMs: () => (clock += 1000),
    });
    connection.close();
    assertEquals([result.answers, result.succeeded, result.ranOut], [5, 0, true]);
    assert(result.maxMs > 3000, `${result.maxMs} ms`);
  });
});

test("drive() fails on the first answer that is not the expected one", async () => {
  const answers = ["201 Created", "401 Unauthorized"];
  await withServer(
    (n) => `HTTP/1.1 ${answers[n % 2]}\r\nContent-Length: 0\r\n\r\n`,
    async (path) => {
      const connection = await connect({ kind: "socket", path }, () => undefined);
      const requests = Array.from({ length: 4 }, () => bytes("x"));
      await assertRejects(
        () => drive([connection], requests, { seconds: 60, expected: [201], nowMs: () => 0 }),
        WrongAnswer,
        "answered 401",
      );
      connection.close();
    },
  );
});
