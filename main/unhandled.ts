// The handler of unhandled promise rejections in role processes.
import { log } from '#platform/server/log.ts';

/**
 * Logs the rejection with its stack and keeps the process running. Node would end it, so one
 * account's odd setting could take down the process that sends all accounts' emails, again after
 * each restart. The failed work itself is lost; other work is stored in the database, and
 * unreleased leases expire there. An uncaught exception outside of promises still ends the process,
 * since memory may be inconsistent.
 */
export function outliveRejections(): void {
  process.on('unhandledRejection', (reason) => {
    const error = reason instanceof Error ? reason : new Error(String(reason));
    log.error('Unhandled promise rejection', { error });
  });
}
