// Previews of an email: of its saved content or of unsaved content in an editor, for one
// subscriber, and as a thumbnail with sample values.
import { clock } from '#platform/server/clock.ts';
import { requireRight } from '#platform/server/http/rights.ts';
import type { Caller } from '#platform/server/http/serve.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { encodeId } from '#platform/ids.ts';
import type { DraftContent } from '../content-source.ts';
import { renderPlainEmailPage } from '../email-page.ts';
import { listConditionNames } from '../personalization/conditions.ts';
import { previewSubscriber, previewValues } from '../personalization/memberships.ts';
import { findSubscribers } from '../personalization/memberships.sql.ts';
import type { MergeValues } from '../personalization/merge-tags.ts';
import { ContentError, type ContentFinding } from '../personalization/message-source.ts';
import type { MessagePreview } from '../preview.ts';
import { previewSource } from '../thread.ts';
import { listShopNames, collectShopNeeds } from '../../shop-names.ts';
import { createSampleShopValues } from '../personalization/sample-products.ts';
import { readShopValues } from '../personalization/shop-values.ts';
import { LOCALE } from '#platform/languages.ts';
import type { Email, EmailSource, SendingOptions } from './email.ts';
import { attachStep, listContentFindings } from './findings.ts';
import { createPreviewSource } from './source.ts';

const MAX_PEOPLE = 8;

/** The chosen subscriber; undefined means the newest one, `sample` only sample values. */
export type PreviewedSubscriber = number | 'sample' | undefined;

/**
 * Returns the subscriber that the caller previews, or `sample` if the caller lacks the right to see
 * subscribers. @throws missing_right for a chosen subscriber
 */
export function toPreviewedSubscriber(
  caller: Pick<Caller, 'rights'>,
  subscriber: number | undefined,
): PreviewedSubscriber {
  if (subscriber !== undefined) requireRight(caller, 'people');
  return caller.rights.has('people') ? subscriber : 'sample';
}

/**
 * @throws content_invalid with the findings that prevent rendering; not_found for an unknown
 * subscriber
 */
export async function previewStored(
  db: Reader,
  email: Email,
  subscriber: PreviewedSubscriber,
  options: SendingOptions,
): Promise<MessagePreview> {
  try {
    const { source, sample } = await createPreviewSource(db, email, options);
    const values = await readPreviewValues(db, sample, source, subscriber);
    return await previewSource({ ...source, message_id: 0 }, values, clock.now());
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    throw new AppError('content_invalid', { extra: { findings: error.findings.map(attachStep) } });
  }
}

/**
 * Previews unsaved content for the editors and returns the findings about its HTML and text. `html`
 * and `text` are null if it cannot be rendered.
 */
export async function previewDraft(
  db: Reader,
  email: Pick<Email, 'accountId' | 'content' | 'envelope' | 'variables' | 'sample' | 'prepare'>,
  draft: DraftContent,
  subscriber: PreviewedSubscriber,
  options: SendingOptions,
) {
  let findings: ContentFinding[] = [];
  try {
    const previewed = await createPreviewSource(db, email, options, draft);
    const source = { ...previewed.source, message_id: 0 };
    const draftFindings = await listContentFindings(db, email, source, draft, previewed.required);
    findings = draftFindings.filter(({ part }) => part === 'html' || part === 'text');
    const values = await readPreviewValues(db, previewed.sample, source, subscriber);
    return { ...(await previewSource(source, values, clock.now())), findings };
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    if (findings.length === 0) findings = error.findings;
    const { subject, preheader } = email.envelope;
    const size = Buffer.byteLength(draft.html ?? '');
    return { subject, preheader, html: null, text: null, size, findings };
  }
}

/** Returns the values of a preview: sample values, overridden by subscriber and store values. */
export async function readPreviewValues(
  db: Reader,
  sample: MergeValues,
  { account_id: accountId, conditions, html, text, language }: EmailSource,
  subscriber: PreviewedSubscriber,
) {
  const names = [...listShopNames(html, text), ...(conditions ?? []).flatMap(listConditionNames)];
  const copies = { accountId, messageId: 0, names, locale: LOCALE[language] };
  const requestedId = typeof subscriber === 'number' ? subscriber : undefined;
  const isSample = subscriber === 'sample';
  const newest = isSample ? undefined : await previewSubscriber(db, accountId);
  const subscriberId = requestedId ?? newest ?? 0;
  const shop = await readShopValues(db, copies, [subscriberId], 'preview');
  const personal = isSample ? {} : await previewValues(db, accountId, requestedId, conditions);
  const shopSample = shop.get(subscriberId) ?? {};
  // Without a chosen subscriber, the preview shows sample products if the newest subscriber has
  // none.
  const hasSamples = requestedId === undefined && collectShopNeeds(names).picks.size > 0;
  const samples = hasSamples
    ? await createSampleShopValues(db, { accountId, language }, shopSample)
    : {};
  return { ...sample, ...personal, ...samples, ...shopSample };
}

/** Returns the email's thumbnail page, which is empty if rendering fails or takes too long. */
export async function renderThumbnailPage(
  db: Reader,
  email: Email,
  options: SendingOptions,
): Promise<string> {
  try {
    const { source, sample } = await createPreviewSource(db, email, options);
    const { html, text } = await previewSource({ ...source, message_id: 0 }, sample, clock.now());
    return html ?? renderPlainEmailPage(text);
  } catch (error) {
    const isTooSlow = error instanceof AppError && error.code === 'document_too_slow';
    if (!(error instanceof ContentError || isTooSlow)) throw error;
    return renderPlainEmailPage('');
  }
}

/**
 * Lists at most eight subscribers for previews: the newest, or those whose email address starts
 * with the search.
 */
export async function listPreviewSubscribers(
  db: Reader,
  accountId: number,
  search: string | undefined,
) {
  // PostgreSQL accepts no NUL in text, and no address or name contains one.
  const term = search?.replaceAll('\0', ' ').trim() || undefined;
  const subscribers = await findSubscribers(db, accountId, term, MAX_PEOPLE);
  return subscribers.map(({ id, email, firstname, lastname }) => ({
    id: encodeId('subscriber', id),
    email: email ?? '',
    name: [firstname, lastname].filter(Boolean).join(' '),
  }));
}
