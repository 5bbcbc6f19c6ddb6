import { Buffer } from "node:buffer";
import { connect as connectSocket, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { testRecord } from "../secret_search/record.ts";
import { checkDocumented } from "./documented_answer.ts";
import { readBody, readHead } from "./http_answer.ts";

/** A request that is sent as it is, without corrections. */
export interface RawRequest {
  method: string;
  /** The request target, byte for byte (latin-1). */
  target: string;
  /** Sent in this order and spelling; names may repeat. */
  headers: readonly (readonly [name: string, value: string])[];
  body?: Uint8Array;
}

/** An answer, with its header names in lower case. */
export interface RawResponse {
  status: number;
  headers: ReadonlyMap<string, string>;
  body: string;
}

/** A port of this machine and the PEM credentials for it; without a certificate by default. */
export interface RawCaller {
  port: number;
  caPem: string;
  certificatePem?: string | null;
  keyPem?: string | null;
}

/** A persistent connection for one request at a time. */
export interface RawConnection {
  send(request: RawRequest): Promise<RawResponse>;
  /** Writes bytes unchanged and reads one answer. */
  sendBytes(bytes: Uint8Array): Promise<RawResponse>;
  /** Whether neither side has closed it. */
  isOpen(): boolean;
  close(): void;
}

/** Opens a TLS connection with the caller's certificate, or one to a Unix socket; rejects if that fails. */
export function openRaw(caller: RawCaller | { path: string }): Promise<RawConnection> {
  return new Promise((resolve, reject) => {
    const socket: Socket = "path" in caller ? connectSocket(caller.path) : connectTls({
      host: "127.0.0.1",
      port: caller.port,
      servername: "localhost",
      ca: caller.caPem,
      ...(caller.certificatePem ? { cert: caller.certificatePem, key: caller.keyPem! } : {}),
    });
    socket.once("error", reject);
    socket.once("path" in caller ? "connect" : "secureConnect", () => {
      socket.off("error", reject);
      const answers = readAnswers(socket);
      const sendBytes = (bytes: Uint8Array) => {
        const answer = answers();
        socket.write(bytes);
        return answer;
      };
      resolve({
        async send(request) {
          recordSecretsOf(request);
          const answer = await sendBytes(requestBytes(request));
          checkDocumented(request.method, request.target, answer);
          if (answer.body.includes("access_token")) testRecord.secretsIn(answer.body);
          return answer;
        },
        sendBytes,
        isOpen: () => socket.readable && socket.writable,
        close: () => socket.destroy(),
      });
    });
  });
}

/** Sends one request over a connection of its own. */
export async function sendRaw(
  caller: RawCaller | { path: string },
  request: RawRequest,
): Promise<RawResponse> {
  const connection = await openRaw(caller);
  try {
    return await connection.send(request);
  } finally {
    connection.close();
  }
}

/** Registers the tokens and signatures of a request for the search for secrets in logs. */
function recordSecretsOf({ headers }: RawRequest): void {
  for (const [, value] of headers) if (value.includes("eyJ")) testRecord.secretsIn(value);
}

/** Encodes a request; header values are Latin-1. */
function requestBytes(request: RawRequest): Uint8Array {
  const { method, target, headers, body = new Uint8Array(0) } = request;
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  const hasBody = method !== "GET" && method !== "HEAD";
  if (hasBody && !headers.some(([name]) => name.toLowerCase() === "content-length")) {
    lines.push(`Content-Length: ${body.byteLength}\r\n`);
  }
  const head = latin1(`${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`);
  return Buffer.concat([head, body]);
}

/** Returns a function that reads the next answer; several calls may be pending. */
function readAnswers(socket: Socket): () => Promise<RawResponse> {
  let text = "";
  let failure: Error | undefined;
  const waiting: { resolve(answer: RawResponse): void; reject(error: Error): void }[] = [];
  const turn = () => {
    while (waiting.length > 0) {
      const head = readHead(text);
      const read = head && readBody(text, head);
      if (read === undefined) break;
      text = text.slice(read.end);
      const { status, headers } = head!;
      const body = latin1(read.body).toString();
      if (status !== 100) waiting.shift()!.resolve({ status, headers, body });
    }
    if (failure !== undefined) { for (const caller of waiting.splice(0)) caller.reject(failure); }
  };
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    text += chunk;
    turn();
  });
  const fail = (error: Error) => {
    failure ??= error;
    turn();
  };
  socket.on("error", fail);
  socket.on("close", () => fail(new Error("the connection was closed")));
  return () =>
    new Promise((resolve, reject) => {
      waiting.push({ resolve, reject });
      turn();
    });
}

function latin1(text: string): Buffer {
  return Buffer.from(text, "latin1");
}
