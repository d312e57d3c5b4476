// The sender role: hands over what the ledger holds to the relays.
import { runSenders } from '#areas/delivery/server/index.ts';
import type { Config } from '#platform/server/config.ts';
import { boot } from './boot.ts';
import { instancePool, relayKinds } from './relays.ts';

export async function startSender(config: Config): Promise<{ close(): Promise<void> }> {
  const app = await boot(config, 'sender');
  const sender = runSenders(app.db, instancePool(app.db, config), relayKinds);
  return {
    async close() {
      await sender.close();
      await app.close();
    },
  };
}
