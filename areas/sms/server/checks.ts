// Checks an SMS campaign before it is sent: text, sender, recipients, countries, quiet hours and cost.

import { isCreditEnforced } from '#areas/billing/server/index.ts';
import { resolveAudience, findBrokenSegments } from '#areas/broadcasts/server/index.ts';
import { compileSms } from '#areas/content/server/index.ts';
import {
  type Audience,
  audienceByPlace,
  countAudience,
  type PlaceCount,
} from '#areas/delivery/server/ledger/index.ts';
import { accountHasOwnSenders } from '#areas/delivery/server/sender/index.ts';
import { findPhoneCountry } from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { SmsFinding } from '../contract.ts';
import { LINK_TAG, type PhoneKind, reaches, STOP_KEYWORD } from '../shared.ts';
import { type Cost, costFor } from './cost.ts';
import { delayedUntil, placesOf } from './hours.ts';
import type { SmsSendingOptions } from './adapter.ts';
import { maySendFrom } from './phone-owners.ts';
import { findPhone } from './phones.sql.ts';
import { readSmsTexts } from './settings.ts';
import { type SmsRow, TABLES } from './sms.sql.ts';
import { draftOf, isTooLong, previewSms, smsSource } from './message-text.ts';

const SEVERITIES = ['error', 'warning', 'tip'];
const SMS_TABLES = { tables: TABLES };
/** Maximum number of countries that a finding names. */
const MAX_NAMED = 5;

class Findings {
  readonly list: SmsFinding[] = [];

  add(
    code: string,
    step: SmsFinding['step'],
    severity: SmsFinding['severity'] = 'error',
    values?: SmsFinding['values'],
  ): void {
    this.list.push({ code, step, severity, ...(values ? { values } : {}) });
  }

  sorted(): SmsFinding[] {
    const rank = ({ severity }: SmsFinding) => SEVERITIES.indexOf(severity);
    return this.list.toSorted((a, b) => rank(a) - rank(b));
  }
}

export type WaitingRecipients = { until: Date; count: number };

/**
 * Returns all findings, worst first, and these figures: the numbers of recipients and of recipients
 * whom the sender reaches, the maximum total of parts, the cost, and the reached recipients in
 * quiet hours, by the end of their quiet hours. All figures are zero or empty if the campaign has
 * no audience.
 * @param counted the numbers of recipients and of selected subscribers without consent (`silent`),
 *   if the caller has already counted them; counting is slow
 */
export async function checkSms(
  db: Reader,
  row: SmsRow,
  sending: SmsSendingOptions,
  counted?: { count: number; silent: number },
) {
  const found = new Findings();
  const { account_id: accountId } = row;
  const kind = await checkSender(db, row, sending, found);
  const maxParts = await checkMessage(db, row, kind, sending, found);
  for (const { title } of await findBrokenSegments(db, SMS_TABLES, row)) {
    found.add('segment_broken', 'recipients', 'error', { title });
  }
  const audience = await resolveAudience(db, SMS_TABLES, row);
  const chosen = audience.groups.length + (audience.segments?.length ?? 0);
  if (!audience.all && chosen === 0) {
    found.add('recipients_missing', 'recipients');
    return {
      findings: found.sorted(),
      recipients: 0,
      reachable: 0,
      parts: 0,
      cost: null,
      waits: [],
    };
  }
  const { count, silent } = counted ?? (await countSms(db, accountId, audience));
  if (silent > 0) found.add('no_consent', 'recipients', 'warning', { count: silent });
  const places = await audienceByPlace(db, accountId, audience);
  const reached = checkCountries(places, kind, found);
  if (count === 0) found.add('recipients_none', 'recipients');
  else if (reached.length === 0) found.add('countries_none', 'settings');
  const waits = waitsOf(reached, row.scheduled_at ?? clock.now());
  const late = waits.reduce((sum, wait) => sum + wait.count, 0);
  if (late > 0) found.add('quiet_hours', 'recipients', 'tip', { count: late });
  // Credit is reserved for all recipients, including those whom the sender does not reach.
  const cost = await costFor(db, accountId, places, maxParts);
  checkCredit(cost, found);
  const reachable = reached.reduce((sum, place) => sum + place.count, 0);
  const parts = count * maxParts;
  return { findings: found.sorted(), recipients: count, reachable, parts, cost, waits };
}

async function countSms(db: Reader, accountId: number, audience: Audience) {
  const { count, excluded } = await countAudience(db, accountId, audience, 'sms');
  return { count, silent: excluded.non_subscribed ?? 0 };
}

async function checkSender(
  db: Reader,
  row: SmsRow,
  { hasProvider }: SmsSendingOptions,
  found: Findings,
): Promise<PhoneKind | undefined> {
  const phone =
    row.phone_id === null ? undefined : await findPhone(db, row.account_id, row.phone_id);
  if (!hasProvider && !(await accountHasOwnSenders(db, 'sms', row.account_id))) {
    found.add('no_provider', 'settings');
  }
  if (!phone) found.add('sender_missing', 'settings');
  else if (!(await maySendFrom(db, row.account_id, phone)))
    found.add('phone_not_active', 'phone', 'error', { sender: phone.value });
  return phone?.kind as PhoneKind | undefined;
}

/** Checks the text. Returns the number of parts of the longest preview. */
async function checkMessage(
  db: Reader,
  row: SmsRow,
  kind: PhoneKind | undefined,
  { publicUrl }: SmsSendingOptions,
  found: Findings,
): Promise<number> {
  const { account_id: accountId } = row;
  const source = smsSource(draftOf(row), await readSmsTexts(db, accountId), kind);
  const compiled = compileSms(source);
  if (row.text.trim() === '') found.add('text_missing', 'settings');
  if (compiled.errors.length > 0)
    found.add('tags_broken', 'settings', 'error', { tag: compiled.errors[0]?.tag ?? '' });
  const hasOptOut =
    new RegExp(`\\b${STOP_KEYWORD}\\b`).test(row.text) || row.text.includes(LINK_TAG);
  if (source.ending === null && !hasOptOut) found.add('no_opt_out', 'settings', 'warning');
  if (compiled.open.length > 0)
    found.add('tag_without_fallback', 'settings', 'tip', { tag: compiled.open[0] ?? '' });
  const { worst } = await previewSms(db, accountId, source, undefined, publicUrl);
  if (isTooLong(worst)) found.add('too_long', 'settings', 'error', { parts: worst.parts });
  return worst.parts;
}

/**
 * Returns the recipients whom the sender reaches. Adds a finding about countries that it does not
 * reach.
 */
function checkCountries(
  places: readonly PlaceCount[],
  kind: PhoneKind | undefined,
  found: Findings,
): PlaceCount[] {
  const isReached = ({ phone }: PlaceCount) => reaches(kind, findPhoneCountry(phone));
  const barred = places.filter((place) => !isReached(place));
  if (barred.length > 0) {
    const countries = [...new Set(barred.map(({ phone }) => findPhoneCountry(phone) ?? '?'))];
    found.add('countries_barred', 'settings', 'warning', {
      count: barred.reduce((sum, place) => sum + place.count, 0),
      countries: countries.toSorted().slice(0, MAX_NAMED).join(','),
    });
  }
  return places.filter(isReached);
}

/** Counts the recipients who are in quiet hours at `at`, by the end of their quiet hours. */
function waitsOf(places: readonly PlaceCount[], at: Date): WaitingRecipients[] {
  const waits = new Map<number, number>();
  for (const { phone, zone, country, count } of places) {
    const until = delayedUntil(placesOf(phone, { zone, country }), at)?.getTime();
    if (until !== undefined) waits.set(until, (waits.get(until) ?? 0) + count);
  }
  return [...waits]
    .map(([until, count]) => ({ until: new Date(until), count }))
    .toSorted((a, b) => Number(a.until) - Number(b.until));
}

function checkCredit(cost: Cost | null, found: Findings): void {
  if (!cost || cost.micros <= cost.free_micros) return;
  const { micros, free_micros: free, currency } = cost;
  const severity = isCreditEnforced() ? 'error' : 'warning';
  found.add('not_enough_credit', 'credit', severity, { micros, free, currency });
}
