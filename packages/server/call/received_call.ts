import type { IncomingMessage, ServerResponse } from "node:http";
import type { Span } from "../observability/tracing.ts";
import type { Peer } from "./peer.ts";

/** One request as it arrived. Each check of the door adds its findings to it; see `findings.ts`. */
export class ReceivedCall {
  /** Distinguishes a call that may go on from a `Refusal`. */
  readonly ok = true;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly method: string;
  /** The request target exactly as it was received: path and query, never decoded. */
  readonly target: string;
  readonly path: string;
  /** The text after the `?`, or the empty string. */
  readonly query: string;
  /** Epoch milliseconds at which the headers were complete. */
  readonly arrivedAtMs: number;
  readonly requestId: string;
  /** The route's pattern, for logs and metrics; never the path itself. */
  readonly route: string;
  /** The handler sets peer and span; undefined: no known caller, nothing is traced. */
  peer: Peer | undefined;
  span: Span | undefined;

  constructor(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    arrivedAtMs: number,
    requestId: string,
    route: string,
  ) {
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.method = incoming.method ?? "";
    this.target = incoming.url ?? "";
    const mark = this.target.indexOf("?");
    this.path = mark < 0 ? this.target : this.target.slice(0, mark);
    this.query = mark < 0 ? "" : this.target.slice(mark + 1);
    this.arrivedAtMs = arrivedAtMs;
    this.requestId = requestId;
    this.route = route;
    this.peer = undefined;
    this.span = undefined;
  }

  /** The value of a header that may come only once; undefined when it is missing. */
  header(name: string): string | undefined {
    const value = this.incoming.headers[name];
    return typeof value === "string" ? value : undefined;
  }
}
