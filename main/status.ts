// Health and metrics of a role on METRICS_PORT.
import type { Config } from '#platform/server/config.ts';
import type { Db } from '#platform/server/database/database.ts';
import { type Figure, showFigures } from '#platform/server/metrics.ts';
import { startStatusServer } from '#platform/server/monitoring/status-server.ts';
import type { Running } from './role.ts';

/** `check` throws with the reason why the role cannot work. */
export async function startStatus(
  { metrics }: Config,
  db: Db,
  role: { check?(): void; figures?(): Promise<readonly Figure[]> } = {},
): Promise<Running> {
  if (!metrics) return { close: async () => {} };
  const server = await startStatusServer(metrics, db, role.check);
  const hide = role.figures && showFigures(role.figures);
  return {
    async close() {
      hide?.();
      await server.close();
    },
  };
}
