/** A span of a trace that is being recorded. */
export interface Span {
  /** Begins a span inside this one. */
  child(name: string, attributes?: Readonly<Record<string, string | number>>): Span;
  set(name: string, value: string | number): void;
  /** Ends the span; `failed` marks it as an error. */
  end(failed?: boolean): void;
}

/** Records traces and exports them. */
export interface Tracing {
  /** Begins the span of a request, as a child of the W3C `traceparent` that came with it, if it is valid. */
  start(name: string, traceparent: string | undefined, tracestate: string | undefined): Span;
  close(): Promise<void>;
}

/** Runs one database call inside a span, or just runs it when nothing is traced. */
export async function traced<T>(
  span: Span | undefined,
  name: string,
  run: () => Promise<T>,
): Promise<T> {
  if (span === undefined) return await run();
  const child = span.child(name, { "db.system.name": "postgresql" });
  try {
    const result = await run();
    child.end();
    return result;
  } catch (error) {
    child.end(true);
    throw error;
  }
}
