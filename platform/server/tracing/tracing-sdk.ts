// The OpenTelemetry SDK with an exporter over OTLP/HTTP.
import {
  context,
  type Context,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { log } from '../log.ts';
import type { RequestSpan, SpanOptions, TracingOptions, TracingSdk } from './tracing.ts';

const EXPORT_MS = 5_000;
const MAX_STATEMENT = 2_000;
const HEADER = 'traceparent';

const propagator = new W3CTraceContextPropagator();

/**
 * Returns the trace context of a W3C header, or an empty context if the header is invalid. Without
 * a header, returns the current context.
 */
const contextOf = (parent: string | undefined): Context =>
  parent === undefined
    ? context.active()
    : propagator.extract(ROOT_CONTEXT, parent, {
        get: (header, key) => (key === HEADER ? header : undefined),
        keys: () => [HEADER],
      });

export function startSdk(options: TracingOptions & { endpoint: string }): TracingSdk {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': options.serviceName,
      'service.version': options.version,
      'sendloom.role': options.role,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.sampleRatio) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({
          url: `${options.endpoint.replace(/\/$/, '')}/v1/traces`,
          headers: options.headers,
          timeoutMillis: EXPORT_MS,
        }),
        exportTimeoutMillis: EXPORT_MS,
      }),
    ],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  diag.setLogger(warnings, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const tracer = provider.getTracer('sendloom', options.version);

  const start = (name: string, kind: SpanKind, { attributes, parent }: SpanOptions, ms = 0) =>
    tracer.startSpan(name, { kind, attributes, startTime: Date.now() - ms }, contextOf(parent));
  return {
    async trace(name, span, work) {
      const current = start(name, SpanKind.CONSUMER, span);
      try {
        return await context.with(trace.setSpan(context.active(), current), work);
      } catch (error) {
        markFailed(current, error);
        throw error;
      } finally {
        current.end();
      }
    },
    startRequest: (name, ms, span) => requestSpan(start(name, SpanKind.SERVER, span, ms)),
    record(name, ms, attributes) {
      start(name, SpanKind.INTERNAL, { attributes }, ms).end();
    },
    recordStatement(statement, ms) {
      if (!trace.getActiveSpan()) return;
      const text = statement.replace(/\s+/g, ' ').trim().slice(0, MAX_STATEMENT);
      const attributes = { 'db.system.name': 'postgresql', 'db.query.text': text };
      start(text.split(' ', 1)[0] ?? '', SpanKind.CLIENT, { attributes }, ms).end();
    },
    getTraceParent() {
      const carrier: Record<string, string> = {};
      propagator.inject(context.active(), carrier, {
        set: (headers, key, value) => void (headers[key] = value),
      });
      return carrier[HEADER];
    },
    async close() {
      await provider.shutdown();
      context.disable();
      diag.disable();
    },
  };
}

function requestSpan(span: Span): RequestSpan {
  return {
    run: (work) => context.with(trace.setSpan(context.active(), span), work),
    end(status) {
      span.setAttribute('http.response.status_code', status);
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** Messages of errors may contain values, so only the kind is recorded; the log has the rest. */
function markFailed(span: Span, error: unknown): void {
  const { name = 'Error', code } = (error ?? {}) as { name?: string; code?: unknown };
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', typeof code === 'string' ? code : name);
}

const warn = (message: string) => log.warn('Tracing', { message });
const ignore = () => {};
const warnings = { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
