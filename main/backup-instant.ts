// The process that holds a backup's database snapshot (platform/server/backup/instant.ts). `npm run
// backup` starts it and controls it by messages. It outlives a killed backup for a while, so that
// the backup can be resumed.
import { once } from 'node:events';
import { type HoldOrder, holdInstant, type HoldReport } from '#platform/server/backup/instant.ts';

const report = (words: HoldReport) => process.connected && process.send?.(words);

// Ctrl-C is addressed to the backup process, not to the snapshot holder.
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
