import type { AnswerBody } from "./transport.ts";

/** A message of a stream of server-sent events. */
export interface StreamMessage {
  /** The type of the message; `message` by default. */
  readonly event: string;
  /** The lines of its data, joined by line feeds. */
  readonly data: string;
}

/**
 * Iterates over the messages of a stream (WHATWG HTML §9.2.6) until it ends, breaks, or is silent for too
 * long.
 * @param silenceMs the time of waiting without a byte after which the stream counts as broken
 * @param onOpen called at once with a function that ends the stream early
 */
export async function* messagesOf(
  body: AnswerBody,
  silenceMs: number,
  onOpen: (end: () => void) => void,
): AsyncGenerator<StreamMessage> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  // Cancelling also ends a pending read.
  const end = () => void reader.cancel().catch(() => {});
  let text = "";
  onOpen(end);
  try {
    for (;;) {
      // While the messages are handled nobody listens.
      const silence = setTimeout(end, silenceMs);
      const { done, value } = await reader.read().finally(() => clearTimeout(silence));
      if (done) return;
      const blocks = (text + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/);
      text = blocks.pop()!;
      for (const block of blocks) {
        const message = messageOf(block);
        if (message.data !== "") yield message;
      }
    }
  } finally {
    end();
  }
}

function messageOf(block: string): StreamMessage {
  let event = "message";
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(line)!;
    if (name === "event") event = value!;
    if (name === "data") data.push(value!);
  }
  return { event, data: data.join("\n") };
}
