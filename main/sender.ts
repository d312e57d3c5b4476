// The sender role: hands over what the ledger holds to the relay.
import { runSender } from '#areas/delivery/server/index.ts';
import type { OpenRelay } from '#areas/delivery/server/provider.ts';
import type { Config } from '#platform/server/config.ts';
import { openSmtpRelay, parseSmtpUrl } from '#providers/smtp/index.ts';
import { boot } from './boot.ts';

/** The relay of the configuration, or the built-in inbox. */
export function relayOf(config: Config): OpenRelay {
  const address = config.smtpUrl ?? `smtp://127.0.0.1:${config.inboxSmtpPort ?? 1025}?tls=none`;
  const options = parseSmtpUrl(address);
  return (source) => openSmtpRelay(options, source);
}

export async function startSender(config: Config): Promise<{ close(): Promise<void> }> {
  const app = await boot(config, 'sender');
  const sender = runSender(app.db, relayOf(config));
  return {
    async close() {
      await sender.close();
      await app.close();
    },
  };
}
