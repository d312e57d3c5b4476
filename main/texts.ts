// What texts leave by: the providers of SMS_URL as one; without them the built-in phone, which keeps them, and is
// never there in production.
import {
  type Answer,
  closedRelay,
  openTextPool,
  referenceOfText,
  runTextSenders,
  settleText,
} from '#areas/delivery/server/index.ts';
import { ownTextWays, takeInbound, takeTextEvent, textHooks } from '#areas/sms/server/index.ts';
import type { Config } from '#platform/server/config.ts';
import { type Db, inTransaction } from '#platform/server/database.ts';
import { openPhoneRelay, PhoneStore, phoneRoutes } from '#providers/phone/index.ts';
import { ownReaders, ownTextKinds } from './text-kinds.ts';
import { textProviders } from './text-providers.ts';

const NO_PROVIDER: Answer = {
  outcome: 'relay_refused',
  about: 'relay',
  at: 'connect',
  code: 0,
  enhanced: '',
  reply: 'No provider of SMS is set up.',
};

/** Without any of its own only accounts' own providers take texts: what others have waits, and checks say so. */
export function startTexts(db: Db, config: Config) {
  const ways = ownTextWays(db, ownTextKinds);
  if (config.smsUrl !== undefined) {
    const { pool } = textProviders(config.smsUrl, {
      told: (event) => takeTextEvent(db, 'smpp', event),
      referenceOf: (asked) => referenceOfText(db, asked),
    });
    return runTextSenders(db, openTextPool(db, pool), ways);
  }
  if (config.isProduction) return runTextSenders(db, closedRelay(NO_PROVIDER), ways);
  const phone = openPhoneRelay(`http://127.0.0.1:${config.port}`);
  return runTextSenders(db, phone, ways);
}

/** Where providers tell what became of texts: the installation's, and accounts' own. */
export function textHookPlugins({ smsUrl, publicUrl }: Config) {
  const shared = smsUrl === undefined ? [] : textProviders(smsUrl).readers;
  return [textHooks({ publicUrl, shared, own: ownReaders })];
}

/** The page of the built-in phone, with what is answered there. */
export function phonePlugins({ smsUrl, isProduction }: Config) {
  if (smsUrl !== undefined || isProduction) return [];
  return [
    phoneRoutes(new PhoneStore(), {
      inbound: async (app, text) => {
        await takeInbound(app.db, text);
      },
      told: async (app, { reference, ...told }) => {
        await inTransaction(app.db, (tx) => settleText(tx, reference, told));
      },
    }),
  ];
}
