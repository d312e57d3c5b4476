// Alerts about a sending domain's health: the text and the email to the owner.

import { findOwner } from '#areas/accounts/server/index.ts';
import { getMailboxName, type healthChanged } from '#areas/deliverability/server/index.ts';
import { MAILBOX_TITLES } from '#areas/deliverability/shared.ts';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { isLanguage, type Language, LOCALE } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { serverTexts } from '#platform/server/texts.ts';

type HealthChange = Parameters<(typeof healthChanged)['announce']>[1];
type ChangedCause = HealthChange['causes'][number];

/** Causes about which the owner is alerted; a stopped campaign has a separate alert. */
export const listUrgentCauses = ({ causes }: HealthChange): ChangedCause[] =>
  causes.filter(({ cause, level }) => level === 'act' && cause !== 'stopped');

export function formatHealthTexts(
  { domain, mailbox }: HealthChange,
  { cause, count, of, detail = '' }: ChangedCause,
  language: Language,
): { domain: string; provider: string; problem: string } {
  const t = serverTexts('system-emails', language);
  const percent = new Intl.NumberFormat(LOCALE[language], {
    style: 'percent',
    maximumFractionDigits: 2,
  });
  const name = mailbox === null ? undefined : getMailboxName(mailbox);
  return {
    domain: toUnicodeDomain(domain),
    provider:
      name === undefined
        ? t('health.all')
        : name === 'other'
          ? t('health.other')
          : MAILBOX_TITLES[name],
    problem: t(`health.causes.${cause}`, {
      share: percent.format(of === 0 ? 0 : count / of),
      detail,
    }),
  };
}

type Send = (
  tx: Tx,
  email: {
    accountId: number;
    kind: 'healthAct';
    language: Language;
    email: string;
    token: string;
    occasion: string;
    values: Record<string, string>;
  },
) => Promise<void>;

/**
 * Creates a handler that emails the owner about each urgent cause. The same cause, for the same
 * domain and mailbox provider, is emailed at most once a day.
 */
export function createHealthHandler(send: Send) {
  return async (tx: Tx, change: HealthChange): Promise<void> => {
    const owner = await findOwner(tx, change.accountId);
    if (!owner) return;
    const language = isLanguage(owner.language) ? owner.language : 'eng';
    const day = clock.now().toISOString().slice(0, 10);
    for (const cause of listUrgentCauses(change)) {
      const { domain, provider, problem } = formatHealthTexts(change, cause, language);
      // Several unmet requirements of Gmail are reported in one email.
      const detail = cause.cause === 'compliance' ? '' : (cause.detail ?? '');
      const subject = `${change.domain} ${change.mailbox ?? ''} ${cause.cause} ${detail}`;
      await send(tx, {
        ...{ accountId: change.accountId, kind: 'healthAct', language, email: owner.email },
        token: '',
        occasion: `health ${subject} ${day}`,
        values: { domain, store: provider, work: problem },
      });
    }
  };
}
