// Logs errors of the whole process: unhandled rejections, uncaught exceptions and Node's warnings.
import { log } from '#platform/server/log.ts';

/**
 * Logs these errors like all others. The process survives an unhandled rejection. By default Node
 * would end it, so one account's unusual setting could stop the process that sends the emails of
 * all accounts, again after each restart. The failed work itself is lost; other work is stored in
 * the database, and unreleased leases expire there. An uncaught exception outside of promises still
 * ends the process, because memory may be inconsistent.
 */
export function logProcessErrors(): void {
  process.on('unhandledRejection', (reason) => {
    const error = reason instanceof Error ? reason : new Error(String(reason));
    log.error('Unhandled promise rejection', { error });
  });
  process.on('uncaughtException', (error) => {
    log.error('Uncaught exception; exiting', { error });
    process.exit(1);
  });
  // Node's own listener writes plain text.
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => log.warn('Node warning', { name, message }));
}
