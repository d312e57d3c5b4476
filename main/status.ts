// Serves health and metrics of a role on METRICS_PORT; without that setting, only the web role
// serves them, on PORT.
import type { Config } from '#platform/server/config.ts';
import type { Db } from '#platform/server/database/database.ts';
import { type MetricSample, registerMetrics } from '#platform/server/metrics.ts';
import {
  sampleDisk,
  sampleNodes,
  samplePool,
  sampleReadiness,
} from '#platform/server/monitoring/process-figures.ts';
import { startStatusServer } from '#platform/server/monitoring/status-server.ts';
import type { Role, StartedRole } from './role.ts';

type StatusOptions = {
  /** Throws an error with the reason if the role cannot work. */
  check?(): void;
  /** Metrics of this role only. A failing or late source does not affect the others. */
  metrics?: readonly (() => Promise<readonly MetricSample[]>)[];
};

/** Provides the metrics of the role until the returned object is closed. */
export async function startStatus(
  { metrics }: Config,
  db: Db,
  name: Role,
  { check, metrics: roleMetrics = [] }: StatusOptions = {},
): Promise<StartedRole> {
  const server = metrics && (await startStatusServer(metrics, db, check));
  const hide = [
    // Registered before other sources, because those wait for database connections.
    () => samplePool(db),
    () => sampleReadiness(db, { name, ...(check && { check }) }),
    sampleDisk,
    () => sampleNodes(db),
    ...roleMetrics,
  ].map(registerMetrics);
  return {
    async close() {
      for (const stop of hide) stop();
      await server?.close();
    },
  };
}
