// The sender role: delivers messages of the ledger to the relays.
import {
  checkRelays,
  createPaceMeter,
  listRelayStates,
  runSenders,
  collectMetrics,
} from '#areas/delivery/server/sender/index.ts';
import type { Config } from '#platform/server/config.ts';
import { startHeartbeat } from '#platform/server/jobs/heartbeat.ts';
import { boot } from './boot.ts';
import { instancePool, relayKinds } from './relays.ts';
import type { StartedRole } from './role.ts';
import { startStatus } from './status.ts';
import { startSms } from './sms.ts';

export async function startSender(config: Config): Promise<StartedRole> {
  const app = await boot(config, 'sender');
  // The status server starts first, so that nothing is sent if its port is in use.
  const status = await startStatus(config, app.db, 'sender', {
    check: () => checkRelays(senders.getStatistics()),
    metrics: [async () => collectMetrics(senders.getStatistics())],
  });
  const senders = runSenders(app.db, instancePool(app.db, config), relayKinds(config));
  const smsSenders = startSms(app.db, config);
  const meter = createPaceMeter(() => senders.getStatistics());
  const presence = await startHeartbeat(app.db, 'sender', {
    getDetails: () => ({
      relays: listRelayStates(senders.getStatistics()),
      sent_last_minute: meter(),
    }),
  });
  return {
    async close() {
      await Promise.all([senders.close(), smsSenders.close()]);
      await status.close();
      await presence.close();
      await app.close();
    },
  };
}
