import type { IncomingMessage } from "node:http";
import { BODY_LIMIT_BYTES, refuse } from "@sabika/protocol";
import type { Read, Uncompressed } from "../call/findings.ts";
import type { ReceivedCall } from "../call/received_call.ts";
import type { Checked } from "./door.ts";

/**
 * Reads the body once, as bytes, and never keeps more of it than the limit (413). The request counts as
 * received when that is done, by `now` in epoch milliseconds.
 */
export function bodyCheck(now: () => number) {
  return async <C extends ReceivedCall & Uncompressed>(call: C): Promise<Checked<C & Read>> => {
    const body = await readBytes(call.incoming, BODY_LIMIT_BYTES);
    if (body === "too_large") {
      // The rest is not read: the connection ends with the answer.
      return refuse("payload_too_large", {
        meta: { limit_bytes: BODY_LIMIT_BYTES },
        headers: { connection: "close" },
      });
    }
    return body === "aborted"
      ? refuse("malformed_request", "The body ended early.")
      : Object.assign(call, { body, receivedAtMs: now() });
  };
}

/** The whole body, or why it cannot be read. `limit` is in bytes. */
function readBytes(
  incoming: IncomingMessage,
  limit: number,
): Promise<Uint8Array | "too_large" | "aborted"> {
  const announced = incoming.headers["content-length"];
  if (announced === "0") return Promise.resolve(new Uint8Array(0));
  if (Number(announced) > limit) return Promise.resolve("too_large");
  // The caller went away during an earlier check, and no further event would report that.
  if (incoming.destroyed) return Promise.resolve("aborted");
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    // The first to resolve decides. Listeners stay: to take four off each request costs more than they do.
    incoming.on("data", (chunk: Uint8Array) => {
      length += chunk.byteLength;
      if (length <= limit) return void chunks.push(chunk);
      chunks.length = 0;
      resolve("too_large");
    });
    incoming.on("end", () => resolve(chunks.length === 1 ? chunks[0]! : joined(chunks, length)));
    incoming.on("error", () => resolve("aborted"));
    incoming.on("close", () => resolve("aborted"));
  });
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}
