// What a role's process does with a promise that failed and that nobody waits for.
import { log } from '#platform/server/log.ts';

/**
 * It is logged with its stack, and the process goes on. Node would end it: one account's odd setting could
 * then take down the process that all accounts' mails leave through, again after each start. Whatever
 * the promise belonged to is lost as it is; what others hold stands in the database, and leases that
 * nobody keeps run out there. An exception outside of promises ends the process as before: it may have
 * left what is in memory half done.
 */
export function outliveRejections(): void {
  process.on('unhandledRejection', (reason) => {
    const error = reason instanceof Error ? reason : new Error(String(reason));
    log.error('Unhandled promise rejection', { error });
  });
}
