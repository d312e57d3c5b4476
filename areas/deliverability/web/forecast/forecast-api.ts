// Calls of forecasts. Their types do not depend on the addresses; only email campaigns have them.
import { client } from '#platform/web/api/api.ts';
import type { forecastCalls } from '../../forecast-contract.ts';

export const LIST = '/client-api/api/campaigns';
export const api = client<ReturnType<typeof forecastCalls<typeof LIST>>>();

/** Names of mailbox providers; the same in every language. */
export const PROVIDERS: Record<string, string> = {
  ...{ gmail: 'Gmail', microsoft: 'Outlook', yahoo: 'Yahoo', apple: 'iCloud', mailru: 'Mail.ru' },
  ...{ yandex: 'Yandex', gmx: 'GMX', proton: 'Proton', comcast: 'Comcast', orange: 'Orange' },
  inboxlv: 'Inbox.lv',
};
