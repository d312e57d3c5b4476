// Builds the source of an SMS, renders it for a subscriber, and finds the longest copy.
import { readAccount } from '#areas/accounts/server/index.ts';
import {
  type CompiledSms,
  compileSms,
  createRenderMoment,
  type PreviewedSubscriber,
  toSubscriberValues,
  resolveUtm,
  type TextSource,
  type UtmFacts,
  type MergeValues,
} from '#areas/content/server/index.ts';
import { measure, MAX_PARTS } from '#areas/content/text-parts.ts';
import type { UtmValues } from '#areas/content/utm.ts';
import { readFields } from '#areas/fields/server/index.ts';
import { readSubscriber } from '#areas/subscribers/server/index.ts';
import { SHORT_CODE_LENGTH } from '#areas/tracking/shared.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { SmsPreview } from '../contract.ts';
import type { PhoneKind } from '../shared.ts';
import {
  subscribersWithLongestValues,
  type NamedColumn,
  newestSubscriber,
  type SmsSubscriber,
} from './people.sql.ts';
import type { SmsTexts } from './settings.ts';
import type { SmsRow } from './sms.sql.ts';

/** Placeholder for the code of a short link, of the usual length. */
const PLACEHOLDER = 'x'.repeat(SHORT_CODE_LENGTH);
const LOCALE = 'en';

export type Draft = {
  title: string;
  text: string;
  hasPrefix: boolean;
  hasOptOut: boolean;
  hasAnalytics: boolean;
  /** UTM parameters that replace the account's. */
  utm?: UtmValues | undefined;
};

export const draftOf = (row: SmsRow): Draft => ({
  title: row.title,
  text: row.text,
  hasPrefix: row.add_organization_name,
  hasOptOut: row.append_opt_out,
  hasAnalytics: row.google_analytics,
  utm: row.utm,
});

/**
 * Returns the source of an SMS. If the sender is alphanumeric, it cannot receive replies, so the SMS ends
 * with an opt-out link instead of the opt-out text.
 * @param utm parameters of the links; previews need none, because copies have short links
 */
export function smsSource(
  draft: Draft,
  texts: SmsTexts,
  phoneKind: PhoneKind | undefined,
  utm?: UtmValues,
): TextSource {
  const ending = phoneKind === 'alphanumeric' ? texts.link : texts.optOut;
  return {
    prefix: draft.hasPrefix && texts.prefix !== '' ? texts.prefix : null,
    text: draft.text.trim(),
    ending: draft.hasOptOut ? ending : null,
    plainQuotes: texts.plainQuotes,
    locale: LOCALE,
    ...(utm && { utm }),
  };
}

/**
 * Returns the UTM parameters of the SMS's links; undefined if it has none.
 * @param facts facts of the campaign or workflow for tokens; `at` is the instant of {date}, null for now
 */
export async function resolveSmsUtm(
  db: Reader,
  accountId: number,
  draft: Pick<Draft, 'hasAnalytics' | 'utm'>,
  { at, ...facts }: UtmFacts & { at: Date | null },
): Promise<UtmValues | undefined> {
  if (!draft.hasAnalytics) return undefined;
  const { timezone } = await readAccount(db, accountId);
  const choice = { values: draft.utm ?? {}, at, facts: () => Promise.resolve(facts) };
  return resolveUtm(db, { accountId, timezone }, 'sms', choice);
}

type Previews = { shown: SmsPreview; worst: SmsPreview };

/**
 * Renders an SMS for a subscriber (`shown`), and finds the longest copy (`worst`) among this one
 * and those of the subscribers with the longest values.
 * @param subscriberId subscriber whose values replace merge tags; undefined for the newest SMS
 * subscriber, 'sample' for none
 */
export async function previewSms(
  db: Reader,
  accountId: number,
  source: TextSource,
  subscriberId: PreviewedSubscriber,
  publicUrl: string,
): Promise<Previews> {
  const { shown, compiled, fields, previewFor } = await renderPreview(
    db,
    accountId,
    source,
    subscriberId,
    publicUrl,
  );
  const names = compiled.names.flatMap((name): NamedColumn[] => {
    if (['firstname', 'lastname', 'email', 'phone'].includes(name)) {
      return [{ column: name as 'firstname' }];
    }
    const field = fields.find((field) => field.name === name);
    return field ? [{ field: field.id }] : [];
  });
  if (names.length === 0 || subscriberId === 'sample') return { shown, worst: shown };
  const widest = await subscribersWithLongestValues(db, accountId, names, 10);
  const previews = [shown, ...widest.map(previewFor)];
  const worst = previews.reduce((worse, other) => (isWorse(other, worse) ? other : worse));
  return { shown, worst };
}

export async function previewedSubscriber(
  db: Reader,
  accountId: number,
  person: PreviewedSubscriber,
): Promise<SmsSubscriber | undefined> {
  if (person === 'sample') return undefined;
  return person === undefined
    ? newestSubscriber(db, accountId)
    : readSubscriber(db, accountId, person);
}

/** Renders the SMS for one subscriber. */
export async function renderPreview(
  db: Reader,
  accountId: number,
  source: TextSource,
  subscriberId: PreviewedSubscriber,
  publicUrl: string,
) {
  const compiled = compileSms(source);
  const fields = await readFields(db, accountId);
  const person = await previewedSubscriber(db, accountId, subscriberId);
  const previewFor = (person: SmsSubscriber | undefined) =>
    present(compiled, person, person ? toSubscriberValues(person, fields) : {}, publicUrl);
  return { shown: previewFor(person), compiled, fields, previewFor };
}

const isWorse = (a: SmsPreview, b: SmsPreview) =>
  a.parts > b.parts || (a.parts === b.parts && a.units > b.units);

function present(
  compiled: CompiledSms,
  person: SmsSubscriber | undefined,
  values: MergeValues,
  publicUrl: string,
): SmsPreview {
  const moment = createRenderMoment(clock.now(), LOCALE);
  const text = compiled.render(values, moment, () => `${publicUrl}/s/${PLACEHOLDER}`);
  return {
    text,
    ...measure(text),
    person: person ? { id: encodeId('subscriber', person.id), name: nameOf(person) } : null,
  };
}

function nameOf({ firstname, lastname, phone, email }: SmsSubscriber): string {
  const name = [firstname, lastname].filter(Boolean).join(' ');
  return name || phone || email || '';
}

export const isTooLong = ({ parts }: SmsPreview) => parts > MAX_PARTS;
