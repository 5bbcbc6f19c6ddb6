import { eventFromJson, parseJson } from "@sabika/protocol";
import type { ReceivedEvent } from "@sabika/protocol";
import { backoffMs } from "./backoff.ts";
import { SabikaError } from "./sabika_error.ts";
import { chance, send } from "./send.ts";
import type { SenderParts } from "./sender_parts.ts";
import { messagesOf } from "./server_sent_events.ts";
import type { AnswerBody, FetchAnswer } from "./transport.ts";

/** How long a stream may be silent: four heartbeats of the service. */
const SILENCE_MS = 60_000;

/**
 * Iterates over events as they happen. Whenever the stream ends (with the token, an instance or the network)
 * it is opened again after the last event. Throws the signal's reason, or SabikaError if not retryable.
 */
export async function* streamEvents(
  parts: SenderParts,
  { afterSequence }: { afterSequence: number },
  signal: AbortSignal | undefined,
): AsyncGenerator<ReceivedEvent> {
  let after = afterSequence;
  for (let failures = 0;; failures++) {
    if (failures > 0) {
      const pause = backoffMs(parts.retry, failures, chance(parts), undefined)!;
      await parts.wait(pause, signal);
    }
    let stop = () => {};
    try {
      const body = await send(parts, {
        method: "GET",
        path: `/v1/events/stream?after_sequence=${after}`,
        accept: "text/event-stream",
        token: true,
        isStream: true,
        read: bodyOf,
        signal,
      });
      const onOpen = (end: () => void) => {
        stop = end;
        parts.closing.ends.add(stop);
        signal?.addEventListener("abort", stop);
        if (signal?.aborted || parts.closing.closed) stop();
      };
      for await (const { event: name, data } of messagesOf(body, SILENCE_MS, onOpen)) {
        failures = 0;
        if (name !== "message") break;
        const event = readEvent(data);
        if (event.sequence <= after) continue;
        after = event.sequence;
        yield event;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof SabikaError && !error.retryable) throw error;
    } finally {
      parts.closing.ends.delete(stop);
      signal?.removeEventListener("abort", stop);
    }
    signal?.throwIfAborted();
  }
}

function bodyOf(_text: string, { body }: FetchAnswer): AnswerBody {
  if (body) return body;
  throw new TypeError("the fetch that the client was given has no body to read");
}

function readEvent(data: string): ReceivedEvent {
  try {
    return eventFromJson(parseJson(data));
  } catch (cause) {
    const message = "the stream of events is not of the promised form";
    throw new SabikaError({ code: "unexpected_answer", message, cause });
  }
}
