// Settings of an account's SMS: the texts added at the start (its name) and at the end (the
// opt-out).
import { readAccount } from '#areas/accounts/server/index.ts';
import { pricesFor } from '#areas/delivery/server/ledger/index.ts';
import { type Language, isLanguage } from '#platform/languages.ts';
import { cutText } from '#platform/server/clean-text.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { invalid } from '#platform/server/errors.ts';
import { serverTexts } from '#platform/server/texts.ts';
import type { SmsSettings } from '../contract.ts';
import { LINK_TAG, MAX_PREFIX, STOP_KEYWORD } from '../shared.ts';
import { findSettings, upsertSettings, type SettingsRow } from './settings.sql.ts';

export type SmsTexts = {
  prefix: string;
  optOut: string;
  link: string;
  plainQuotes: boolean;
  isOnboarded: boolean;
};

export async function readSmsTexts(db: Reader, accountId: number): Promise<SmsTexts> {
  const row = await findSettings(db, accountId);
  const { title, language } = await readAccount(db, accountId);
  const defaults = getDefaultTexts(language);
  return {
    prefix: row?.prefix ?? toPrefix(title),
    optOut: row?.opt_out_text ?? defaults.optOut,
    link: row?.link_text ?? defaults.link,
    plainQuotes: row?.plain_quotes ?? true,
    isOnboarded: row?.onboarded_at != null,
  };
}

const toPrefix = (title: string): string => cutText(title, MAX_PREFIX).trim();

/**
 * Returns the default texts in the account's language. In every language, the opt-out text contains
 * the keyword STOP.
 */
function getDefaultTexts(language: string): { optOut: string; link: string } {
  const t = serverTexts('sms', toKnownLanguage(language));
  return { optOut: t('defaults.optOut'), link: t('defaults.link', { link: LINK_TAG }) };
}

export const toKnownLanguage = (language: string): Language =>
  isLanguage(language) ? language : 'eng';

export async function readSettings(
  db: Reader,
  accountId: number,
  provider: string,
): Promise<SmsSettings> {
  const row = await findSettings(db, accountId);
  const smsTexts = await readSmsTexts(db, accountId);
  return {
    prefix: row?.prefix ?? null,
    default_prefix: toPrefix((await readAccount(db, accountId)).title),
    opt_out_text: smsTexts.optOut,
    link_text: smsTexts.link,
    plain_quotes: smsTexts.plainQuotes,
    is_onboarded: smsTexts.isOnboarded,
    provider,
    is_free: (await pricesFor(db, accountId)) === undefined,
  };
}

type Changes = {
  prefix?: string | null | undefined;
  opt_out_text?: string | undefined;
  link_text?: string | undefined;
  plain_quotes?: boolean | undefined;
  is_onboarded?: true | undefined;
};

export async function saveSettings(tx: Tx, accountId: number, changes: Changes): Promise<void> {
  const { opt_out_text: optOut, link_text: link } = changes;
  if (optOut !== undefined && !new RegExp(`\\b${STOP_KEYWORD}\\b`).test(optOut)) {
    throw invalid({ opt_out_text: ['errors.opt_out_stop'] });
  }
  if (link !== undefined && !link.includes(LINK_TAG)) {
    throw invalid({ link_text: ['errors.link_tag'] });
  }
  const row = await findSettings(tx, accountId);
  const defaults = getDefaultTexts((await readAccount(tx, accountId)).language);
  const now = clock.now();
  const savedRow: SettingsRow = {
    account_id: accountId,
    prefix: changes.prefix === undefined ? (row?.prefix ?? null) : changes.prefix || null,
    opt_out_text: toOwnText(optOut, defaults.optOut, row?.opt_out_text),
    link_text: toOwnText(link, defaults.link, row?.link_text),
    plain_quotes: changes.plain_quotes ?? row?.plain_quotes ?? true,
    onboarded_at: row?.onboarded_at ?? (changes.is_onboarded ? now : null),
    modified_at: now,
  };
  await upsertSettings(tx, savedRow);
}

/** Returns null for the default text: it is not stored, so it follows the account's language. */
function toOwnText(
  newValue: string | undefined,
  byDefault: string,
  storedValue: string | null = null,
) {
  if (newValue === undefined) return storedValue;
  return newValue === byDefault ? null : newValue;
}
