// The door of SMS: campaigns of texts, what they are sent from, what people answer.
import { duePoller } from '#areas/broadcasts/server/index.ts';
import { setAccountsWithOwnTexts } from '#areas/delivery/server/index.ts';
import type { Area } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import { openTextChannel } from './channel.ts';
import { linksPlugin } from './links-page.ts';
import { accountsWithProviders } from './own-providers.sql.ts';
import { smsOwner } from './owner.ts';
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
      offered: async () => (isBuiltIn ? TEST_NUMBERS : []),
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
export type { ProviderHearing, ProviderKinds, ProviderSettings } from './provider-kinds.ts';
export { automatedText, isTextSender, textSenderOf } from './step-text.ts';
export { takeTextEvent } from './text-events.ts';

/** 555-0100 to 0199 are kept for fiction: nobody is ever reached from them. */
const TEST_NUMBERS = Array.from({ length: 10 }, (_, at) => `+1833555010${at}`);
