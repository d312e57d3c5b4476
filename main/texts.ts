// What texts leave by: the providers of SMS_URL as one; without them the built-in phone, which keeps them, and is
// never there in production.
import {
  openTextPool,
  referenceOfText,
  runTextSenders,
  settleText,
} from '#areas/delivery/server/index.ts';
import { ownTextWays, takeInbound, takeTextEvent, textHooks } from '#areas/sms/server/index.ts';
import type { Config } from '#platform/server/config.ts';
import { type Db, inTransaction } from '#platform/server/database.ts';
import { openPhoneRelay, phoneRoutes, PhoneStore } from '#providers/phone/index.ts';
import { textProviders } from './text-providers.ts';

/** Undefined where nothing takes texts: none can be sent there, and the checks of each say so. */
export function startTexts(db: Db, config: Config) {
  if (config.smsUrl !== undefined) {
    const { pool } = textProviders(config.smsUrl, {
      told: (event) => inTransaction(db, (tx) => takeTextEvent(tx, 'smpp', event)),
      referenceOf: (remoteIds) => referenceOfText(db, remoteIds),
    });
    return runTextSenders(db, openTextPool(db, pool), ownTextWays);
  }
  if (config.isProduction) return undefined;
  const phone = openPhoneRelay(`http://127.0.0.1:${config.port}`);
  return runTextSenders(db, phone, ownTextWays);
}

/** Where providers tell what became of texts. */
export function textHookPlugins({ smsUrl, publicUrl }: Config) {
  return smsUrl === undefined ? [] : [textHooks(publicUrl, textProviders(smsUrl).readers)];
}

/** The page of the built-in phone, with what is answered there. */
export function phonePlugins({ smsUrl, isProduction }: Config) {
  if (smsUrl !== undefined || isProduction) return [];
  return [
    phoneRoutes(new PhoneStore(), {
      inbound: (app, text) =>
        inTransaction(app.db, async (tx) => {
          await takeInbound(tx, text);
        }),
      told: async (app, { reference, ...told }) => {
        await inTransaction(app.db, (tx) => settleText(tx, reference, told));
      },
    }),
  ];
}
