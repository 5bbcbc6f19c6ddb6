import { lookup } from "@sabika/network";
import type { Environment } from "@sabika/protocol";
import type { Span, Tracing } from "./tracing.ts";

/**
 * Traces by OpenTelemetry over OTLP/HTTP. Its libraries are loaded only when an endpoint is
 * configured, so that a service without one bears none of their cost. The collector's name is
 * resolved by our own lookup: getaddrinfo would hold a thread on which signatures are verified.
 *
 * @param endpoint `OTEL_EXPORTER_OTLP_ENDPOINT`, such as `http://127.0.0.1:4318`
 */
export async function openTelemetry(endpoint: string, environment: Environment): Promise<Tracing> {
  const api = await import("@opentelemetry/api");
  const { BasicTracerProvider, BatchSpanProcessor } = await import("@opentelemetry/sdk-trace-base");
  const { resourceFromAttributes } = await import("@opentelemetry/resources");
  const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-http");
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, "")}/v1/traces`,
    httpAgentOptions: { keepAlive: true, lookup },
  });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      "service.name": "sabika",
      "deployment.environment.name": environment,
    }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer("sabika");

  const wrap = (span: import("@opentelemetry/api").Span): Span => ({
    child: (name, attributes) =>
      wrap(tracer.startSpan(
        name,
        { kind: api.SpanKind.CLIENT, attributes },
        api.trace.setSpan(api.ROOT_CONTEXT, span),
      )),
    set: (name, value) => void span.setAttribute(name, value),
    end(failed = false) {
      if (failed) span.setStatus({ code: api.SpanStatusCode.ERROR });
      span.end();
    },
  });

  return {
    start(name, traceparent, tracestate) {
      const parent = readTraceparent(traceparent);
      const context = parent === undefined ? api.ROOT_CONTEXT : api.trace.setSpanContext(
        api.ROOT_CONTEXT,
        {
          ...parent,
          isRemote: true,
          ...(tracestate === undefined ? {} : { traceState: api.createTraceState(tracestate) }),
        },
      );
      return wrap(tracer.startSpan(name, { kind: api.SpanKind.SERVER }, context));
    },
    close: () => provider.shutdown(),
  };
}

/** Reads a W3C `traceparent` (Trace Context §3.2.2); undefined when it is not valid. */
export function readTraceparent(
  text: string | undefined,
): { traceId: string; spanId: string; traceFlags: number } | undefined {
  const match = text === undefined ? null : TRACEPARENT.exec(text);
  if (match === null) return undefined;
  const [, version, traceId, spanId, flags, more] = match;
  if (version === "ff" || (version === "00" && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId!) || /^0+$/.test(spanId!)) return undefined;
  return { traceId: traceId!, spanId: spanId!, traceFlags: Number.parseInt(flags!, 16) };
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
