import net from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { connect, readAnswer } from "./connection.ts";
import { drive, WrongAnswer } from "./drive.ts";

const bytes = (text: string) => Buffer.from(text, "latin1");

test("readAnswer() waits for the whole body and leaves what follows", () => {
  const whole = "HTTP/1.1 201 Created\r\nContent-Length: 5\r\n\r\nhello";
  assertEquals(readAnswer(bytes(whole.slice(0, 10))), undefined);
  assertEquals(readAnswer(bytes(whole.slice(0, -1))), undefined);
  const answer = readAnswer(bytes(whole + "HTTP"))!;
  assertEquals([answer.status, answer.body.toString(), answer.length], [
    201,
    "hello",
    whole.length,
  ]);
});

test("readAnswer() reads chunks", () => {
  const whole =
    "HTTP/1.1 409 Conflict\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
  assertEquals(readAnswer(bytes(whole.slice(0, -3))), undefined);
  const answer = readAnswer(bytes(whole))!;
  assertEquals([answer.status, answer.body.toString(), answer.length], [
    409,
    "abcde",
    whole.length,
  ]);
});

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

test("drive() sends each request once and reports rate and latencies", async () => {
  await withServer(() => "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}", async (path) => {
    const target = { kind: "socket", path } as const;
    const connections = await Promise.all([1, 2].map(() => connect(target, () => undefined)));
    let clock = 0;
    const requests = Array.from({ length: 10 }, () => bytes("GET / HTTP/1.1\r\n\r\n"));
    const result = await drive(connections, requests, {
      seconds: 60,
      expected: [201],
      nowMs: () => clock++,
    });
    connections.forEach((connection) => connection.close());
    assertEquals([result.answers, result.ranOut], [10, true]);
    assertEquals(result.perSecond, result.answers / result.seconds);
  });
});

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
