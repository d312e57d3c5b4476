// The public interface of SMS: campaigns, senders, incoming SMS.
import {
  createDuePoller,
  createExperimentPoller,
  createSeriesPoller,
} from '#areas/broadcasts/server/index.ts';
import { setFreeSms } from '#areas/delivery/server/ledger/index.ts';
import { setAccountsWithOwnSms } from '#areas/delivery/server/sender/index.ts';
import { setFictionalNumbers } from '#areas/subscribers/server/index.ts';
import type { Area } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { smsAdapter } from './adapter.ts';
import { registerSmsChannel } from './channel.ts';
import { linksPlugin } from './links-page.ts';
import { accountsWithProviders } from './own-providers.sql.ts';
import { findOwnedNumbers } from './phone-owners.sql.ts';
import type { ProviderKinds } from './provider-kinds.ts';
import { smsRoutes } from './routes.ts';
import { createUsageHandlers } from './uses.ts';

export function area(config: Config, providerKinds: ProviderKinds): Area {
  const { publicUrl } = config;
  const isBuiltIn = hasBuiltInPhone(config);
  const provider = isBuiltIn ? 'phone' : hasSmsProvider(config) ? 'provider' : 'none';
  const adapter = smsAdapter({ publicUrl, hasProvider: hasSmsProvider(config) });
  return {
    name: 'sms',
    description: 'SMS: campaigns, sender numbers and names, providers, replies and reports.',
    routes: smsRoutes({
      publicUrl,
      provider,
      verifier: isBuiltIn ? { submit: async () => 'approved' } : undefined,
      listOfferedNumbers: async (db) => (isBuiltIn ? listFreeNumbers(db) : []),
      kinds: providerKinds,
    }),
    plugins: [linksPlugin],
    pollers: [
      createDuePoller(adapter),
      createExperimentPoller(adapter),
      createSeriesPoller(adapter),
    ],
    ...createUsageHandlers(adapter),
    setUp: () => {
      registerSmsChannel(publicUrl);
      setAccountsWithOwnSms(accountsWithProviders);
      // If BILLING is set, SMS through the built-in provider cost credit, so that charges can be
      // tried.
      setFreeSms(isBuiltIn && !config.billing.isSet);
      setFictionalNumbers(isBuiltIn);
    },
  };
}

/**
 * Returns whether the installation uses the built-in provider (phone), which does not exist in
 * production. It offers test numbers and approves every verification form.
 */
const hasBuiltInPhone = ({ isProduction, smsUrl }: Config) => !isProduction && smsUrl === undefined;

/** Returns whether the installation has an SMS provider, which may be the built-in one. */
export const hasSmsProvider = (config: Config) =>
  config.smsUrl !== undefined || hasBuiltInPhone(config);

export { ingestSmsEvent } from './delivery-events.ts';
export { smsReplied } from './events.ts';
export { readSmsDecision } from './experiments.ts';
export { type KnownReader, type OwnReaders, smsHooks } from './hooks-plugin.ts';
export { ingestInbound } from './inbound.ts';
export { createOwnSmsSenders } from './own-relays.ts';
export { assignPhone, listWaitingPhones, refusePhone } from './phone-decisions.ts';
export type { ProviderKinds, ProviderListener, ProviderSettings } from './provider-kinds.ts';
export { readSmsTitle } from './sms.sql.ts';
export { createAutomatedSms, findSmsSender, isSmsSender } from './step-message.ts';

/** Numbers from 555-0100 to 555-0199 are reserved for fiction and belong to no real phone. */
const TEST_NUMBERS = Array.from(
  { length: 100 },
  (_, at) => `+183355501${String(at).padStart(2, '0')}`,
);
const MAX_OFFERED = 10;

/** Returns test numbers without an owner. */
async function listFreeNumbers(db: Reader): Promise<string[]> {
  const ownedNumbers = await findOwnedNumbers(db, TEST_NUMBERS);
  return TEST_NUMBERS.filter((number) => !ownedNumbers.has(number)).slice(0, MAX_OFFERED);
}
