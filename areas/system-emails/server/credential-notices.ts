// Emails about API tokens and connected assistants: an approaching expiry, and use from a new
// country.
import {
  findOwner,
  readAccount,
  readMember,
  tokenExpiring,
  usedFromNewCountry,
} from '#areas/accounts/server/index.ts';
import { isLanguage, LOCALE } from '#platform/languages.ts';
import { on } from '#platform/server/area.ts';
import type { Tx } from '#platform/server/database/database.ts';

type Send = (
  tx: Tx,
  email: {
    accountId: number;
    kind: 'tokenExpiring' | 'tokenCountry' | 'assistantCountry';
    language: string;
    email: string;
    token: '';
    occasion: string;
    values: Record<string, string>;
  },
) => Promise<void>;

export const createCredentialNotices = (send: Send) => [
  on(tokenExpiring, async (tx, { accountId, tokenId, title, expiresAt }) => {
    const owner = await findOwner(tx, accountId);
    if (!owner) return;
    const { timezone } = await readAccount(tx, accountId);
    const language = isLanguage(owner.language) ? owner.language : 'eng';
    const day = new Intl.DateTimeFormat(LOCALE[language], {
      dateStyle: 'long',
      timeZone: timezone,
    });
    await send(tx, {
      accountId,
      kind: 'tokenExpiring',
      language,
      email: owner.email,
      token: '',
      // A rotation gives the token a new expiry, which is a new occasion.
      occasion: `token expiring ${accountId} ${tokenId} ${expiresAt.getTime()}`,
      values: { api_token: title, until: day.format(expiresAt) },
    });
  }),
  // Notifies the owner and the user that the credential acts for, because that user knows the
  // program.
  on(usedFromNewCountry, async (tx, event) => {
    const { accountId, kind, id, userId, title, country, ip, at } = event;
    const owner = await findOwner(tx, accountId);
    const user = owner?.id === userId ? undefined : await readMember(tx, accountId, userId);
    const { timezone } = await readAccount(tx, accountId);
    for (const member of [owner, user]) {
      if (!member) continue;
      const language = isLanguage(member.language) ? member.language : 'eng';
      const locale = LOCALE[language];
      const time = new Intl.DateTimeFormat(locale, {
        dateStyle: 'long',
        timeStyle: 'short',
        timeZone: timezone,
      });
      await send(tx, {
        accountId,
        kind: kind === 'token' ? 'tokenCountry' : 'assistantCountry',
        language,
        email: member.email,
        token: '',
        occasion: `country ${kind} ${accountId} ${id} ${country} ${at.getTime()} ${member.id}`,
        values: {
          api_token: title,
          use_country: new Intl.DisplayNames(locale, { type: 'region' }).of(country) ?? country,
          use_ip: ip,
          use_time: time.format(at),
        },
      });
    }
  }),
];
