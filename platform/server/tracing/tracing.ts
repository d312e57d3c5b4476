// Traces with OpenTelemetry: requests, their jobs and statements, and sender steps. Tracing is off
// unless OTEL_EXPORTER_OTLP_ENDPOINT is set; the SDK is loaded only then.

export type Attributes = Record<string, string | number | boolean>;

export type TracingOptions = {
  /** Base address of an OTLP receiver (HTTP). */
  endpoint: string | undefined;
  headers: Record<string, string>;
  serviceName: string;
  version: string;
  role: string;
  /** Share of traces that are recorded, 0 to 1. */
  sampleRatio: number;
};

export type RequestSpan = {
  /** Runs `work`, and everything that it starts, within the span. */
  run(work: () => void): void;
  end(status: number): void;
};

export type TracingSdk = {
  trace<T>(name: string, span: SpanOptions, work: () => Promise<T>): Promise<T>;
  startRequest(name: string, ms: number, span: SpanOptions): RequestSpan;
  record(name: string, ms: number, attributes: Attributes): void;
  recordStatement(sql: string, ms: number): void;
  getTraceParent(): string | undefined;
  close(): Promise<void>;
};

export type SpanOptions = {
  attributes: Attributes;
  /** W3C trace context of the cause; the current context by default. */
  parent?: string | undefined;
};

let sdk: TracingSdk | undefined;

export const isTracing = () => sdk !== undefined;

/**
 * Starts tracing if an endpoint is configured; the returned function sends the remaining spans and
 * stops tracing.
 */
export async function startTracing(
  options: TracingOptions,
): Promise<(() => Promise<void>) | undefined> {
  const { endpoint } = options;
  if (endpoint === undefined) return undefined;
  const { startSdk: openSdk } = await import('./tracing-sdk.ts');
  const newSdk = openSdk({ ...options, endpoint });
  sdk = newSdk;
  return async () => {
    sdk = undefined;
    await newSdk.close();
  };
}

/** Runs `work` in a span and marks the span as failed if `work` throws. */
export function traceWork<T>(name: string, span: SpanOptions, work: () => Promise<T>): Promise<T> {
  return sdk ? sdk.trace(name, span, work) : work();
}

/** Starts the span of a request that has run for `ms`; undefined while tracing is off. */
export function startRequestSpan(
  name: string,
  ms: number,
  span: SpanOptions,
): RequestSpan | undefined {
  return sdk?.startRequest(name, ms, span);
}

/** Records work that took `ms` and has just ended. */
export function recordSpan(name: string, ms: number, attributes: Attributes): void {
  sdk?.record(name, ms, attributes);
}

/** Records a statement (its text with placeholders) within the span that caused it. */
export function recordStatement(sql: string, ms: number): void {
  sdk?.recordStatement(sql, ms);
}

/** W3C trace context of the current span. */
export const getTraceParent = (): string | undefined => sdk?.getTraceParent();
