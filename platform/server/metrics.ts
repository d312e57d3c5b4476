// Prometheus metrics of this process, at /metrics of the web role and logged by none.
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

const registry = new Registry();
let collecting = false;

const requests = new Histogram({
  name: 'sendloom_http_request_seconds',
  help: 'Time to answer a call, by route and status',
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

export function counter(name: string, help: string, labelNames: string[] = []): Counter {
  return new Counter({ name: `sendloom_${name}`, help, labelNames, registers: [registry] });
}

export async function metricsText(): Promise<{ text: string; contentType: string }> {
  if (!collecting) {
    collecting = true;
    collectDefaultMetrics({ register: registry });
  }
  return { text: await registry.metrics(), contentType: registry.contentType };
}
