// Sends SMS through the providers of SMS_URL, which form one pool. If SMS_URL is unset, the
// built-in phone stores the SMS instead, except in production.
import { findSmsReference, settleSms } from '#areas/delivery/server/ledger/index.ts';
import {
  type HandoffResult,
  closedRelay,
  openSmsPool,
  runSmsSenders,
} from '#areas/delivery/server/sender/index.ts';
import {
  createOwnSmsSenders,
  ingestInbound,
  ingestSmsEvent,
  smsHooks,
} from '#areas/sms/server/index.ts';
import type { Config } from '#platform/server/config.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { openPhoneRelay, PhoneStore, phoneRoutes } from '#providers/phone/index.ts';
import { ownReaders, ownSmsKinds } from './sms-kinds.ts';
import { smsProviders } from './sms-providers.ts';

const NO_PROVIDER: HandoffResult = {
  outcome: 'relay_refused',
  scope: 'relay',
  step: 'connect',
  code: 0,
  enhancedCode: '',
  reply: 'No SMS provider is set up.',
};

/**
 * In production, if SMS_URL is unset, only accounts' own providers send SMS. The
 * SMS of other accounts wait, and checks report that.
 */
export function startSms(db: Db, config: Config) {
  const smsSenders = createOwnSmsSenders(db, ownSmsKinds);
  if (config.smsUrl !== undefined) {
    const { pool } = smsProviders(config.smsUrl, {
      onEvent: (event) => ingestSmsEvent(db, 'smpp', event),
      findReference: (request) => findSmsReference(db, request),
    });
    return runSmsSenders(db, openSmsPool(db, pool), smsSenders);
  }
  if (config.isProduction) return runSmsSenders(db, closedRelay(NO_PROVIDER), smsSenders);
  const phone = openPhoneRelay(`http://127.0.0.1:${config.port}`);
  return runSmsSenders(db, phone, smsSenders);
}

/** Returns the callback routes of SMS providers: the installation's, and accounts' own. */
export function smsHookPlugins({ smsUrl, publicUrl }: Config) {
  const sharedReaders = smsUrl === undefined ? [] : smsProviders(smsUrl).readers;
  return [smsHooks({ publicUrl, sharedReaders, ownReaders })];
}

/** Returns the built-in phone's page and API. */
export function phonePlugins({ smsUrl, isProduction }: Config) {
  if (smsUrl !== undefined || isProduction) return [];
  return [
    phoneRoutes(new PhoneStore(), {
      onInbound: async (app, text) => {
        await ingestInbound(app.db, text);
      },
      onReport: async (app, { reference, ...report }) => {
        await inTransaction(app.db, (tx) => settleSms(tx, reference, report));
      },
    }),
  ];
}
