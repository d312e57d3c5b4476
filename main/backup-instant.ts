// The process that holds a backup's instant (platform/server/backup/instant.ts): started by `npm run backup`, which tells it by
// messages what to hold and when all is done. It outlives a backup that is killed, for a while.
import { once } from 'node:events';
import { type HoldOrder, holdInstant, type HoldReport } from '#platform/server/backup/instant.ts';

const report = (words: HoldReport) => process.connected && process.send?.(words);

// Ctrl-C is meant for the backup.
for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {});

try {
  const isAlone = once(process, 'disconnect');
  const [order] = (await once(process, 'message')) as [HoldOrder];
  await holdInstant(order, report, { isDone: once(process, 'message'), isAlone });
  process.exit(0);
} catch (error) {
  report({ failed: error instanceof Error ? error.message : String(error) });
  process.exit(1);
}
