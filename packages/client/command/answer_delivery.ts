import { eventFromJson, HEADER, parseJson, verifyWebhook } from "@sabika/protocol";
import type { ReceivedEvent } from "@sabika/protocol";
import type { HeaderLookup, ReceivedWebhook } from "../webhook_receiver.ts";
import { bad, good, type Io } from "./io.ts";

/** The settings by which `sabika-client listen` answers. */
export interface Answering {
  secrets: readonly string[];
  /** The statuses for genuine webhooks in turn; the last one is repeated. */
  statuses: readonly number[];
  /** The URL to which genuine webhooks are forwarded; undefined: none. */
  forward: URL | undefined;
  showBody: boolean;
}

const FORWARDED = [
  HEADER.webhookId,
  HEADER.webhookTimestamp,
  HEADER.webhookSignature,
  HEADER.contentType,
  "user-agent",
];

/** Makes the function that verifies a delivery, prints a line about it, and returns the status to answer. */
export function answerDelivery(
  { secrets, statuses, forward, showBody }: Answering,
  io: Io,
): (
  delivery: ReceivedWebhook & { headers: HeaderLookup },
) => Promise<{ status: number; isGenuine: boolean }> {
  let answered = 0;
  return async ({ headers, body }) => {
    const nowSeconds = Math.floor(io.now() / 1000);
    const verified = await verifyWebhook({ secrets, headers, body, nowSeconds });
    if (!verified.ok) {
      io.print(`${bad(io, "not genuine")}: ${verified.reason} → 401`);
      return { status: 401, isGenuine: false };
    }
    const text = typeof body === "string" ? body : new TextDecoder().decode(body);
    const status = forward === undefined
      ? statuses[Math.min(answered++, statuses.length - 1)]!
      : await send(forward, headers, text, io);
    io.print(`${good(io, "genuine")}: ${describe(text)} → ${status}`);
    if (showBody) io.print(text);
    return { status, isGenuine: true };
  };
}

/** Forwards a delivery unchanged; returns the status of the answer, 502 if there is none. */
async function send(
  url: URL,
  headers: HeaderLookup,
  body: string,
  io: Io,
): Promise<number> {
  const kept = FORWARDED.map((name) => [name, headers.get(name)]).filter(([, value]) => value);
  try {
    const answer = await fetch(url, {
      method: "POST",
      headers: kept as [string, string][],
      body,
      redirect: "manual",
      signal: io.interrupted,
    });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    io.printError(`nobody answers at ${url.href}`);
    return 502;
  }
}

function describe(text: string): string {
  try {
    return describeEvent(eventFromJson(parseJson(text)));
  } catch {
    return "a body that is no event";
  }
}

/** Formats an event's number, type and the id of its object. */
export function describeEvent(event: ReceivedEvent): string {
  const name = event.type === "unknown" ? event.name : event.type;
  const { object } = event;
  const id = typeof object === "object" && object !== null && "id" in object ? object.id : "";
  return `${event.sequence} ${name} ${id}`.trim();
}
