// Prometheus metrics of this process, served at its /metrics.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { log } from './log.ts';
import { withinTime } from './time-limit.ts';

const registry = new Registry();
let collecting = false;

const requests = new Histogram({
  name: 'sendloom_http_request_duration_seconds',
  help: 'Response time of requests, by route and status',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  registers: [registry],
});

export function observeRequest(
  method: string,
  route: string,
  status: number,
  milliseconds: number,
): void {
  requests.observe({ method, route, status: String(status) }, milliseconds / 1000);
}

/**
 * Creates a counter. Without labels it has no series until its first `inc`, which may be `inc(0)`.
 * Otherwise a role that merely loads the module would report a count of 0.
 */
export function counter(name: string, help: string, labelNames: string[] = []): Counter {
  const metric = new Counter({ name: `sendloom_${name}`, help, labelNames, registers: [registry] });
  if (labelNames.length === 0) metric.remove();
  return metric;
}

export function histogram(
  name: string,
  help: string,
  labelNames: string[],
  buckets: number[],
): Histogram {
  const names = { name: `sendloom_${name}`, help, labelNames };
  return new Histogram({ ...names, buckets, registers: [registry] });
}

/** A metric that is stored outside this module as plain numbers and read on request. */
export type MetricSample = {
  kind: 'counter' | 'gauge';
  /** Without the prefix `sendloom_`. */
  name: string;
  help: string;
  values: { labels?: Record<string, string>; value: number }[];
};

type MetricSource = () => Promise<readonly MetricSample[]>;

/**
 * Time limit of one source. Sources that fail or take longer (database unreachable) are omitted;
 * other metrics show the cause.
 */
const READ_MS = 2_000;

const sources = new Set<MetricSource>();

/** Adds what `read` returns to the metrics until the returned function is called. */
export function registerMetrics(read: MetricSource): () => void {
  sources.add(read);
  return () => sources.delete(read);
}

export async function renderMetrics(): Promise<{ text: string; contentType: string }> {
  if (!collecting) {
    collecting = true;
    collectDefaultMetrics({ register: registry });
  }
  const texts = [await registry.metrics(), await renderSamples()];
  return { text: texts.join(''), contentType: registry.contentType };
}

async function renderSamples(): Promise<string> {
  const sampleRegistry = new Registry();
  const samples = await Promise.all([...sources].map(readInTime));
  for (const { kind, name, help, values } of samples.flat()) {
    // Registered only with values, because a metric without labels would start at 0.
    const labelNames = Object.keys(values[0]?.labels ?? (values.length === 0 ? { none: '' } : {}));
    const options = { name: `sendloom_${name}`, help, labelNames, registers: [sampleRegistry] };
    const metric = kind === 'counter' ? new Counter(options) : new Gauge(options);
    for (const { labels = {}, value } of values) metric.inc(labels, value);
  }
  return await sampleRegistry.metrics();
}

async function readInTime(read: MetricSource): Promise<readonly MetricSample[]> {
  try {
    return await withinTime(read(), READ_MS, 'They could not be read in time.');
  } catch (error) {
    log.warn('Could not collect some metrics', { reason: (error as Error).message });
    return [];
  }
}
