// What the installation adds to each message, by its configuration.
import type { Config } from '#platform/server/config.ts';
import type { SendingOptions } from './message.ts';

export function sendingOptions(config: Config): SendingOptions {
  return {
    publicUrl: config.publicUrl,
    // Only where somebody listens for it.
    unsubscribeMailbox: config.returnPath && `unsubscribe@${config.bounceDomain}`,
    needsVerifiedSender: config.smtpUrl !== undefined,
  };
}
