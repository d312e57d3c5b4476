// The door of SMS: campaigns of texts, what they are sent from, what people answer.
import { duePoller } from '#areas/broadcasts/server/index.ts';
import { setAccountsWithOwnTexts } from '#areas/delivery/server/index.ts';
import type { Area } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import type { Reader } from '#platform/server/database.ts';
import { openTextChannel } from './channel.ts';
import { linksPlugin } from './links-page.ts';
import { accountsWithProviders } from './own-providers.sql.ts';
import { smsOwner } from './owner.ts';
import { ownedAmong } from './phone-owners.sql.ts';
import type { ProviderKinds } from './provider-kinds.ts';
import { smsRoutes } from './routes.ts';
import { usesOf } from './uses.ts';

export function area(config: Config, kinds: ProviderKinds): Area {
  const { publicUrl } = config;
  const isBuiltIn = hasBuiltInPhone(config);
  const provider = isBuiltIn ? 'phone' : hasTextProvider(config) ? 'provider' : 'none';
  const owner = smsOwner({ publicUrl, hasProvider: hasTextProvider(config) });
  return {
    name: 'sms',
    routes: smsRoutes({
      publicUrl,
      provider,
      verifier: isBuiltIn ? { submit: async () => 'approved' } : undefined,
      offered: async (db) => (isBuiltIn ? freeNumbers(db) : []),
      kinds,
    }),
    plugins: [linksPlugin],
    pollers: [duePoller(owner)],
    ...usesOf(owner),
    setUp: () => {
      openTextChannel(publicUrl);
      setAccountsWithOwnTexts(accountsWithProviders);
    },
  };
}

/** The built-in phone gives test numbers and approves every form; there is none in production. */
const hasBuiltInPhone = ({ isProduction, smsUrl }: Config) => !isProduction && smsUrl === undefined;

/** Something of this installation takes texts. */
export const hasTextProvider = (config: Config) =>
  config.smsUrl !== undefined || hasBuiltInPhone(config);

export { textReplied } from './events.ts';
export { type KnownReader, type OwnReaders, textHooks } from './hooks-plugin.ts';
export { takeInbound } from './inbound.ts';
export { ownTextWays } from './own-ways.ts';
export { assignPhone, listWaitingPhones, refusePhone } from './phone-decisions.ts';
export type { ProviderHearing, ProviderKinds, ProviderSettings } from './provider-kinds.ts';
export { automatedText, isTextSender, textSenderOf } from './step-text.ts';
export { takeTextEvent } from './text-events.ts';

/** 555-0100 to 0199 are kept for fiction: nobody is ever reached from them. */
const TEST_NUMBERS = Array.from(
  { length: 100 },
  (_, at) => `+183355501${String(at).padStart(2, '0')}`,
);
const MAX_OFFERED = 10;

/** Each has one owner in the installation, test numbers too. */
async function freeNumbers(db: Reader): Promise<string[]> {
  const owned = await ownedAmong(db, TEST_NUMBERS);
  return TEST_NUMBERS.filter((number) => !owned.has(number)).slice(0, MAX_OFFERED);
}
