import type { Cells } from "@sabika/service/cells";
import type { Reading } from "@sabika/service/trading";
import { encodeUtf8, notCarriedOut, type Refusal } from "@sabika/protocol";

/** The streams of events of an instance. */
export interface EventStreams {
  /** Opens a stream; throws when the partner's cell cannot be used. */
  open(stream: NewStream): EventStream;
  /** The number of open streams. */
  count(): number;
}

/** What the streams read from, and where their failures go. */
export interface EventStreamsParts {
  readonly reading: Pick<Reading, "eventsAfter" | "lastSequences">;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly onError: (name: string, error: unknown) => void;
}

/** A stream that is to be opened. */
export interface NewStream {
  readonly partnerId: number;
  /** The sequence number of the last event that the caller has; 0 for none. */
  readonly afterSequence: number;
  /** Whether the caller is still let in; called at every turn. */
  readonly check: () => Verdict | Promise<Verdict>;
  /** Closes the connection of a caller that is no longer let in and does not read. */
  readonly cut: () => void;
  /** Called once, however the stream ends. */
  readonly onEnd: () => void;
}

/** The stream of one caller. */
export interface EventStream {
  readonly body: ReadableStream<Uint8Array>;
  /** Ends the stream, because its caller is gone. */
  readonly end: () => void;
}

type Verdict = { readonly ok: true } | Refusal;

/** How often the database is asked for new events, for all partners with a stream at once. */
const TURN_MS = 250;
/** A quarter of the time after which the sidecar closes an idle stream. */
const HEARTBEAT_MS = 15_000;
/** The most events of one stream in memory. */
const PAGE = 100;

/** Combines the streams of all cells; each cell is asked separately. Streams end when a partner moves. */
export function eventStreamsAcross(cells: Cells<EventStreams>): EventStreams {
  return {
    open(stream) {
      const { partnerId } = stream;
      const home = cells.of(partnerId);
      const isThere = () => {
        try {
          return cells.of(partnerId) === home;
        } catch {
          return false;
        }
      };
      const check = () => isThere() ? stream.check() : notCarriedOut();
      return home.open({ ...stream, check });
    },
    count: () => [...cells.all().values()].reduce((sum, streams) => sum + streams.count(), 0),
  };
}

/**
 * The streams of events from a cell (Decision D78). One query every {@link TURN_MS} finds the partners with
 * new events; a stream reads them a page at a time when its caller wants more, and streams of a partner
 * at the same position share the pages.
 */
export function createEventStreams({ reading, now, onError }: EventStreamsParts): EventStreams {
  const streams = new Set<{ partnerId: number; turn: () => void }>();
  const readPage = sharedPages(reading);
  let last = new Map<number, number>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function turn(): Promise<void> {
    try {
      const partnerIds = new Set(Array.from(streams, ({ partnerId }) => partnerId));
      last = await reading.lastSequences([...partnerIds]);
    } catch (error) {
      onError("event_streams", error);
    }
    for (const stream of streams) stream.turn();
    timer = streams.size === 0 ? undefined : setTimeout(turn, TURN_MS);
  }

  function open({ partnerId, afterSequence, check, cut, onEnd }: NewStream): EventStream {
    let position = afterSequence;
    let quietSinceMs = now();
    let refusal: Refusal | undefined;
    let isChecking = false;
    let isPulled = false;
    let wake = () => {};
    const hasNews = () => (last.get(partnerId) ?? 0) > position;
    const isQuiet = () => now() - quietSinceMs >= HEARTBEAT_MS;

    const judge = (verdict: Verdict) => {
      isChecking = false;
      if (!verdict.ok) refusal = verdict;
      if (refusal !== undefined && !isPulled) {
        end();
        cut();
      } else if (refusal !== undefined || hasNews() || isQuiet()) wake();
    };
    const stream = {
      partnerId,
      turn() {
        if (isChecking) return;
        const verdict = check();
        if (!(verdict instanceof Promise)) return judge(verdict);
        isChecking = true;
        verdict.then(judge, (error) => {
          isChecking = false;
          onError("event_streams", error);
        });
      },
    };
    const end = () => {
      if (streams.delete(stream)) onEnd();
    };

    /** The next text of the stream; undefined at its end. */
    async function next(): Promise<string | undefined> {
      while (refusal === undefined) {
        if (hasNews()) {
          const events = await readPage(partnerId, position).catch((error) => {
            onError("event_streams", error);
            return [];
          });
          if (refusal === undefined && events.length > 0) {
            position = events.at(-1)!.sequence;
            const texts = events.map(({ sequence, json }) => `id: ${sequence}\ndata: ${json}\n\n`);
            return texts.join("");
          }
        } else if (isQuiet()) return COMMENT;
        if (refusal === undefined) await new Promise<void>((resolve) => wake = resolve);
      }
      return undefined;
    }

    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        streams.add(stream);
        controller.enqueue(encodeUtf8(COMMENT));
        if (timer === undefined) timer = setTimeout(turn, 0);
      },
      async pull(controller) {
        isPulled = true;
        const text = await next();
        isPulled = false;
        quietSinceMs = now();
        controller.enqueue(encodeUtf8(text ?? endOf(refusal!)));
        if (text !== undefined) return;
        end();
        controller.close();
      },
      cancel: end,
    }, { highWaterMark: 0 });
    return { body, end };
  }

  return { open, count: () => streams.size };
}

/** Reads pages of events; concurrent requests for the same page share one query. */
function sharedPages(reading: EventStreamsParts["reading"]) {
  const pages = new Map<string, ReturnType<typeof reading.eventsAfter>>();
  return (partnerId: number, afterSequence: number) => {
    const place = `${partnerId} ${afterSequence}`;
    const known = pages.get(place);
    if (known !== undefined) return known;
    const page = reading.eventsAfter({ partnerId, afterSequence, limit: PAGE })
      .finally(() => pages.delete(place));
    pages.set(place, page);
    return page;
  };
}

const COMMENT = ":\n\n";
const endOf = ({ code }: Refusal) => `event: end\ndata: {"code":"${code}"}\n\n`;
