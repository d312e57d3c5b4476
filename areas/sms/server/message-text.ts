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
  type UtmCampaign,
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
  listSubscribersWithLongestValues,
  type NamedColumn,
  findNewestSubscriber,
  type SmsSubscriber,
} from './subscribers.sql.ts';
import type { SmsTexts } from './settings.ts';
import type { SmsRow } from './sms.sql.ts';

/** Placeholder for the code of a short link, of the usual length. */
const PLACEHOLDER = 'x'.repeat(SHORT_CODE_LENGTH);
const LOCALE = 'en';

export type SmsDraft = {
  title: string;
  text: string;
  hasPrefix: boolean;
  hasOptOut: boolean;
  hasAnalytics: boolean;
  /** UTM parameters that replace the account's. */
  utm?: UtmValues | undefined;
};

export const toDraft = (row: SmsRow): SmsDraft => ({
  title: row.title,
  text: row.text,
  hasPrefix: row.add_organization_name,
  hasOptOut: row.append_opt_out,
  hasAnalytics: row.google_analytics,
  utm: row.utm,
});

/**
 * Returns the source of an SMS. If the sender is alphanumeric, it cannot receive replies, so the
 * SMS ends with an opt-out link instead of the opt-out text.
 * @param utm parameters of the links; previews need none, because copies have short links
 */
export function createSmsSource(
  draft: SmsDraft,
  smsTexts: SmsTexts,
  phoneKind: PhoneKind | undefined,
  utm?: UtmValues,
): TextSource {
  const ending = phoneKind === 'alphanumeric' ? smsTexts.link : smsTexts.optOut;
  return {
    prefix: draft.hasPrefix && smsTexts.prefix !== '' ? smsTexts.prefix : null,
    text: draft.text.trim(),
    ending: draft.hasOptOut ? ending : null,
    plainQuotes: smsTexts.plainQuotes,
    locale: LOCALE,
    ...(utm && { utm }),
  };
}

/**
 * Returns the UTM parameters of the SMS's links, or undefined if it has none.
 * @param campaign data of the campaign or workflow for tokens; `at` is the instant of {date}, null
 * for now
 */
export async function resolveSmsUtm(
  db: Reader,
  accountId: number,
  draft: Pick<SmsDraft, 'hasAnalytics' | 'utm'>,
  { at, ...campaign }: UtmCampaign & { at: Date | null },
): Promise<UtmValues | undefined> {
  if (!draft.hasAnalytics) return undefined;
  const { timezone } = await readAccount(db, accountId);
  const choice = { values: draft.utm ?? {}, at, readCampaign: () => Promise.resolve(campaign) };
  return resolveUtm(db, { accountId, timezone }, 'sms', choice);
}

type Previews = { shown: SmsPreview; worst: SmsPreview };

/**
 * Renders an SMS for a subscriber (`shown`), and finds the longest copy (`worst`) among this copy
 * and the copies for the subscribers with the longest values.
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
  const widest = await listSubscribersWithLongestValues(db, accountId, names, 10);
  const previews = [shown, ...widest.map(previewFor)];
  const worst = previews.reduce((longest, preview) =>
    isWorse(preview, longest) ? preview : longest,
  );
  return { shown, worst };
}

export async function readPreviewSubscriber(
  db: Reader,
  accountId: number,
  subscriberChoice: PreviewedSubscriber,
): Promise<SmsSubscriber | undefined> {
  if (subscriberChoice === 'sample') return undefined;
  return subscriberChoice === undefined
    ? findNewestSubscriber(db, accountId)
    : readSubscriber(db, accountId, subscriberChoice);
}

/** Renders the SMS for one subscriber. */
export async function renderPreview(
  db: Reader,
  accountId: number,
  source: TextSource,
  subscriberId: PreviewedSubscriber,
  publicUrl: string,
) {
  const compiledSms = compileSms(source);
  const fields = await readFields(db, accountId);
  const subscriber = await readPreviewSubscriber(db, accountId, subscriberId);
  const previewFor = (subscriber: SmsSubscriber | undefined) =>
    present(
      compiledSms,
      subscriber,
      subscriber ? toSubscriberValues(subscriber, fields) : {},
      publicUrl,
    );
  return { shown: previewFor(subscriber), compiled: compiledSms, fields, previewFor };
}

const isWorse = (a: SmsPreview, b: SmsPreview) =>
  a.parts > b.parts || (a.parts === b.parts && a.units > b.units);

function present(
  compiledSms: CompiledSms,
  subscriber: SmsSubscriber | undefined,
  values: MergeValues,
  publicUrl: string,
): SmsPreview {
  const moment = createRenderMoment(clock.now(), LOCALE);
  const text = compiledSms.render(values, moment, () => `${publicUrl}/s/${PLACEHOLDER}`);
  return {
    text,
    ...measure(text),
    person: subscriber
      ? { id: encodeId('subscriber', subscriber.id), name: getName(subscriber) }
      : null,
  };
}

function getName({ firstname, lastname, phone, email }: SmsSubscriber): string {
  const name = [firstname, lastname].filter(Boolean).join(' ');
  return name || phone || email || '';
}

export const isTooLong = ({ parts }: SmsPreview) => parts > MAX_PARTS;
