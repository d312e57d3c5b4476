// What texts leave by: the built-in phone, which keeps them, and is never there in production.
import { runTextSenders, settleText } from '#areas/delivery/server/index.ts';
import { ownTextWays, takeInbound } from '#areas/sms/server/index.ts';
import type { Config } from '#platform/server/config.ts';
import { type Db, inTransaction } from '#platform/server/database.ts';
import { openPhoneRelay, phoneRoutes, PhoneStore } from '#providers/phone/index.ts';

/** Undefined where nothing takes texts: none can be sent there, and the checks of each say so. */
export function startTexts(db: Db, config: Config) {
  if (config.isProduction) return undefined;
  const phone = openPhoneRelay(`http://127.0.0.1:${config.port}`);
  return runTextSenders(db, phone, ownTextWays);
}

/** The page of the built-in phone, with what is answered there. */
export function phonePlugins(config: Config) {
  if (config.isProduction) return [];
  return [
    phoneRoutes(new PhoneStore(), {
      inbound: (app, text) => inTransaction(app.db, (tx) => takeInbound(tx, text)),
      told: async (app, { reference, ...told }) => {
        await inTransaction(app.db, (tx) => settleText(tx, reference, told));
      },
    }),
  ];
}
