// Checks an SMS campaign before it is sent: text, sender, recipients, countries, quiet hours and
// cost.

import { isCreditEnforced } from '#areas/billing/server/index.ts';
import { resolveAudience, findBrokenSegments } from '#areas/broadcasts/server/index.ts';
import { compileSms } from '#areas/content/server/index.ts';
import {
  type Audience,
  countAudienceByPlace,
  countAudience,
  type PlaceCount,
} from '#areas/delivery/server/ledger/index.ts';
import { accountHasOwnSenders } from '#areas/delivery/server/sender/index.ts';
import { findPhoneCountry } from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { SmsFinding } from '../contract.ts';
import { LINK_TAG, type PhoneKind, canReach, STOP_KEYWORD } from '../shared.ts';
import { type Cost, estimateCost } from './cost.ts';
import { findDelayEnd, listZoneRules } from './hours.ts';
import type { SmsSendingOptions } from './adapter.ts';
import { maySendFrom } from './phone-owners.ts';
import { findPhone } from './phones.sql.ts';
import { readSmsTexts } from './settings.ts';
import { type SmsRow, TABLES } from './sms.sql.ts';
import { toDraft, isTooLong, previewSms, createSmsSource } from './message-text.ts';

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

  listSorted(): SmsFinding[] {
    const getRank = ({ severity }: SmsFinding) => SEVERITIES.indexOf(severity);
    return this.list.toSorted((a, b) => getRank(a) - getRank(b));
  }
}

export type WaitingRecipients = { until: Date; count: number };

/**
 * Returns all findings, worst first, and these results: the numbers of recipients and of recipients
 * whom the sender reaches, the maximum total of parts, the cost, and the reached recipients in
 * quiet hours, by the end of their quiet hours. All results are zero or empty if the campaign has
 * no audience.
 * @param audienceCounts the numbers of recipients and of selected subscribers without consent
 *   (`withoutConsent`), if the caller has already counted them; counting is slow
 */
export async function checkSms(
  db: Reader,
  row: SmsRow,
  sending: SmsSendingOptions,
  audienceCounts?: { count: number; withoutConsent: number },
) {
  const findings = new Findings();
  const { account_id: accountId } = row;
  const phoneKind = await checkSender(db, row, sending, findings);
  const maxParts = await checkMessage(db, row, phoneKind, sending, findings);
  for (const { title } of await findBrokenSegments(db, SMS_TABLES, row)) {
    findings.add('segment_broken', 'recipients', 'error', { title });
  }
  const audience = await resolveAudience(db, SMS_TABLES, row);
  const selectedCount = audience.groups.length + (audience.segments?.length ?? 0);
  if (!audience.all && selectedCount === 0) {
    findings.add('recipients_missing', 'recipients');
    return {
      findings: findings.listSorted(),
      recipients: 0,
      reachable: 0,
      parts: 0,
      cost: null,
      waits: [],
    };
  }
  const { count, withoutConsent } = audienceCounts ?? (await countSms(db, accountId, audience));
  if (withoutConsent > 0)
    findings.add('no_consent', 'recipients', 'warning', { count: withoutConsent });
  const placeCounts = await countAudienceByPlace(db, accountId, audience);
  const reachedPlaces = checkCountries(placeCounts, phoneKind, findings);
  if (count === 0) findings.add('recipients_none', 'recipients');
  else if (reachedPlaces.length === 0) findings.add('countries_none', 'settings');
  const waits = countWaiting(reachedPlaces, row.scheduled_at ?? clock.now());
  const waitingCount = waits.reduce((total, wait) => total + wait.count, 0);
  if (waitingCount > 0) findings.add('quiet_hours', 'recipients', 'tip', { count: waitingCount });
  // Credit is reserved for all recipients, including recipients whom the sender does not reach.
  const cost = await estimateCost(db, accountId, placeCounts, maxParts);
  checkCredit(cost, findings);
  const reachable = reachedPlaces.reduce((total, placeCount) => total + placeCount.count, 0);
  const totalParts = count * maxParts;
  return {
    findings: findings.listSorted(),
    recipients: count,
    reachable,
    parts: totalParts,
    cost,
    waits,
  };
}

async function countSms(db: Reader, accountId: number, audience: Audience) {
  const { count, excluded } = await countAudience(db, accountId, audience, 'sms');
  return { count, withoutConsent: excluded.non_subscribed ?? 0 };
}

async function checkSender(
  db: Reader,
  row: SmsRow,
  { hasProvider }: SmsSendingOptions,
  findings: Findings,
): Promise<PhoneKind | undefined> {
  const phone =
    row.phone_id === null ? undefined : await findPhone(db, row.account_id, row.phone_id);
  if (!hasProvider && !(await accountHasOwnSenders(db, 'sms', row.account_id))) {
    findings.add('no_provider', 'settings');
  }
  if (!phone) findings.add('sender_missing', 'settings');
  else if (!(await maySendFrom(db, row.account_id, phone)))
    findings.add('phone_not_active', 'phone', 'error', { sender: phone.value });
  return phone?.kind as PhoneKind | undefined;
}

/** Checks the text. Returns the number of parts of the longest preview. */
async function checkMessage(
  db: Reader,
  row: SmsRow,
  phoneKind: PhoneKind | undefined,
  { publicUrl }: SmsSendingOptions,
  findings: Findings,
): Promise<number> {
  const { account_id: accountId } = row;
  const source = createSmsSource(toDraft(row), await readSmsTexts(db, accountId), phoneKind);
  const compiledSms = compileSms(source);
  if (row.text.trim() === '') findings.add('text_missing', 'settings');
  if (compiledSms.errors.length > 0)
    findings.add('tags_broken', 'settings', 'error', { tag: compiledSms.errors[0]?.tag ?? '' });
  const hasOptOut =
    new RegExp(`\\b${STOP_KEYWORD}\\b`).test(row.text) || row.text.includes(LINK_TAG);
  if (source.ending === null && !hasOptOut) findings.add('no_opt_out', 'settings', 'warning');
  if (compiledSms.namesWithoutFallback.length > 0)
    findings.add('tag_without_fallback', 'settings', 'tip', {
      tag: compiledSms.namesWithoutFallback[0] ?? '',
    });
  const { worst } = await previewSms(db, accountId, source, undefined, publicUrl);
  if (isTooLong(worst)) findings.add('too_long', 'settings', 'error', { parts: worst.parts });
  return worst.parts;
}

/**
 * Returns the recipients whom the sender reaches. Adds a finding about countries that it does not
 * reach.
 */
function checkCountries(
  placeCounts: readonly PlaceCount[],
  phoneKind: PhoneKind | undefined,
  findings: Findings,
): PlaceCount[] {
  const isReached = ({ phone }: PlaceCount) => canReach(phoneKind, findPhoneCountry(phone));
  const barredPlaces = placeCounts.filter((placeCount) => !isReached(placeCount));
  if (barredPlaces.length > 0) {
    const countries = [...new Set(barredPlaces.map(({ phone }) => findPhoneCountry(phone) ?? '?'))];
    findings.add('countries_barred', 'settings', 'warning', {
      count: barredPlaces.reduce((total, placeCount) => total + placeCount.count, 0),
      countries: countries.toSorted().slice(0, MAX_NAMED).join(','),
    });
  }
  return placeCounts.filter(isReached);
}

/** Counts the recipients who are in quiet hours at `at`, by the end of their quiet hours. */
function countWaiting(placeCounts: readonly PlaceCount[], at: Date): WaitingRecipients[] {
  const waits = new Map<number, number>();
  for (const { phone, zone, country, count } of placeCounts) {
    const waitUntil = findDelayEnd(listZoneRules(phone, { zone, country }), at)?.getTime();
    if (waitUntil !== undefined) waits.set(waitUntil, (waits.get(waitUntil) ?? 0) + count);
  }
  return [...waits]
    .map(([until, count]) => ({ until: new Date(until), count }))
    .toSorted((a, b) => Number(a.until) - Number(b.until));
}

function checkCredit(cost: Cost | null, findings: Findings): void {
  if (!cost || cost.micros <= cost.free_micros) return;
  const { micros, free_micros: free, currency } = cost;
  const severity = isCreditEnforced() ? 'error' : 'warning';
  findings.add('not_enough_credit', 'credit', severity, { micros, free, currency });
}
