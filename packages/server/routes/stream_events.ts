import { type FieldError, refuse } from "@sabika/protocol";
import type { AuthenticatedCall, ReadCall } from "../call/findings.ts";
import { reply } from "../call/reply.ts";
import type { Door } from "../door/door.ts";
import type { EventStreams } from "../event_streams.ts";
import { ConcurrencyLimit } from "./concurrency_limit.ts";
import { parseSequence, SEQUENCE_FORM } from "./list_query.ts";
import type { Route } from "./route.ts";

/** How many streams a partner may have at an instance. */
const STREAMS_OF_PARTNER = 10;
/** How many streams an instance may have, of all partners. */
const STREAMS_OF_INSTANCE = 1_000;

/** The source of event streams, and whether they must end. */
export interface StreamParts {
  readonly eventStreams: EventStreams;
  /** True from the moment the instance is asked to stop. */
  readonly isDraining: () => boolean;
}

/**
 * GET /v1/events/stream: events as they come, as server-sent events (WHATWG HTML §9.2), until the
 * caller goes, the instance stops, or the caller is no longer let in (Decision D78).
 *
 * @param door what a caller who is connected must pass again
 */
export function streamEventsRoute(
  { eventStreams, isDraining }: StreamParts,
  door: Door<AuthenticatedCall>,
): Route<ReadCall> {
  const limit = new ConcurrencyLimit(STREAMS_OF_PARTNER);
  return (call) => {
    const { partnerId } = call.partner;
    const after = readAfter(call);
    if (typeof after !== "number") return refuse("invalid_request", { errors: [after] });
    if (call.method === "HEAD") return reply("", HEADERS);
    if (isDraining() || eventStreams.count() >= STREAMS_OF_INSTANCE) {
      return refuse("service_unavailable", { retryAfterSeconds: 1 });
    }
    const end = limit.take(partnerId);
    if (end === undefined) {
      const detail = `You have ${STREAMS_OF_PARTNER} streams open here.`;
      return refuse("rate_limited", { detail, retryAfterSeconds: 1 });
    }
    try {
      const stream = eventStreams.open({
        partnerId,
        afterSequence: after,
        check: () => isDraining() ? refuse("service_unavailable") : door.pass(call),
        cut: () => call.outgoing.destroy(),
        onEnd: end,
      });
      // However the answer ends, even if it is never read.
      call.outgoing.once("close", stream.end);
      return reply(stream.body, HEADERS);
    } catch (error) {
      end();
      throw error;
    }
  };
}

const HEADERS = { "content-type": "text/event-stream" };

/** The number after which the stream begins; `Last-Event-ID` precedes the URL. */
function readAfter(call: ReadCall): number | FieldError {
  const wrong = (pointer: string, message: string): FieldError => ({
    pointer,
    code: "wrong_form",
    message,
  });
  const asked = /^after_sequence=([0-9]*)$/.exec(call.query)?.[1];
  const lastEventId = call.header("last-event-id");
  if (call.query !== "" && asked === undefined) {
    return wrong("", "the query is after_sequence and nothing else");
  }
  if (lastEventId === undefined && asked === undefined) {
    return wrong("/after_sequence", `is missing, and so is Last-Event-ID; ${SEQUENCE_FORM}`);
  }
  const position = asked === undefined ? undefined : parseSequence(asked);
  if (asked !== undefined && position === undefined) return wrong("/after_sequence", SEQUENCE_FORM);
  if (lastEventId === undefined) return position!;
  return parseSequence(lastEventId) ?? wrong("/last-event-id", SEQUENCE_FORM);
}
