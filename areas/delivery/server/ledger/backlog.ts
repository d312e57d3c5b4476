// Metrics of senders' remaining work.
import { clock } from '#platform/server/clock.ts';
import type { Db } from '#platform/server/database/database.ts';
import type { MetricSample } from '#platform/server/metrics.ts';
import { readBacklog } from './backlog.sql.ts';

/** All processes report the same values, which must not be summed over processes. */
export async function createBacklogFigures(db: Db): Promise<MetricSample[]> {
  const now = clock.now();
  const { due, later, preparing_since: since } = await readBacklog(db, now);
  return [
    {
      kind: 'gauge',
      name: 'recipients_waiting',
      help: 'Recipients of unfinished messages that no sender leased yet: due now, or later (waves, warm-ups)',
      values: [
        { labels: { is: 'due' }, value: due },
        { labels: { is: 'later' }, value: later },
      ],
    },
    {
      kind: 'gauge',
      name: 'oldest_preparing_seconds',
      help: 'Time for which the oldest message has waited for its first recipients; 0 if none waits',
      values: [{ value: since ? Math.max(0, (now.getTime() - since.getTime()) / 1_000) : 0 }],
    },
  ];
}
