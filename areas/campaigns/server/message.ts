// A campaign as a message: what it is made from, how it looks for one person, what is wrong with it.
import { domainToUnicode } from 'node:url';
import { type AccountFacts, postalAddressOf, readAccount } from '#areas/accounts/server/index.ts';
import {
  checkContent,
  ContentError,
  type DraftContent,
  type Finding as ContentFinding,
  type MessageSource,
  findingsOfGone,
  messageWords,
  type Preview,
  plainMailPage,
  previewMessage,
  previewValues,
  readableDocument,
  readContent,
  sourceParts,
} from '#areas/content/server/index.ts';
import {
  type Audience,
  countAudience,
  countWithout,
  type NamedValue,
  newSenderDomain,
} from '#areas/delivery/server/index.ts';
import { alignmentOf, isVerifiedSender } from '#areas/domains/server/index.ts';
import { readFields } from '#areas/fields/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { isLanguage } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database.ts';
import { AppError } from '#platform/server/errors.ts';
import type { Finding } from '../contract.ts';
import { campaignRow, contentRef } from './campaigns.ts';
import type { CampaignRow } from './campaigns.sql.ts';
import { audienceOf, brokenSegmentsOf } from './recipients.ts';
import { findPeople } from './recipients.sql.ts';

/** What the installation adds to each message. */
export type SendingOptions = {
  publicUrl: string;
  /** Understands mailed unsubscribes; where there is none, https alone is offered. */
  unsubscribeMailbox?: string | undefined;
  /** False with the built-in inbox, which takes any sender. */
  needsVerifiedSender: boolean;
};

/** All that a message is made from; delivery adds the message's id. */
export async function messageSource(
  db: Reader,
  row: CampaignRow,
  options: SendingOptions,
  draft?: DraftContent,
): Promise<Omit<MessageSource, 'message_id'>> {
  const account = await readAccount(db, row.account_id);
  const content = draft ?? (await contentOf(db, row));
  const language = [row.language, account.language].find(isLanguage) ?? 'eng';
  const company = account.title || row.from_name;
  const facts = { language, company, public_url: options.publicUrl };
  const parts = await sourceParts(db, row.account_id, content, facts);
  return {
    kind: 'marketing',
    account_id: row.account_id,
    company,
    street: account.address ?? '',
    postal_address: postalLine(account),
    subject: row.subject,
    preheader: row.preheader || parts.preheader,
    from: { name: row.from_name, email: row.from_email },
    reply_to: row.reply_to,
    html: parts.html,
    text: parts.text,
    ...(parts.conditions.length > 0 && { conditions: parts.conditions }),
    language,
    words: messageWords(language, company),
    public_url: options.publicUrl,
    unsubscribe_mailbox: options.unsubscribeMailbox ?? '',
    is_tracked: true,
    utm_campaign: row.utm_campaign ?? undefined,
  };
}

const NOTHING: DraftContent = {
  kind: 'text',
  document: null,
  html: null,
  plain_text: null,
  inline_css: false,
};

async function contentOf(db: Reader, row: CampaignRow): Promise<DraftContent> {
  const ref = contentRef(row);
  if (ref === undefined) return NOTHING;
  const content = await readContent(db, row.account_id, ref);
  return { ...content, kind: content.kind as DraftContent['kind'] };
}

/** Without the name of the business, which stands before it. */
function postalLine(account: AccountFacts): string {
  return postalAddressOf({ ...account, title: '' }).join(', ');
}

/** @throws content_invalid with the findings that stand in the way */
export async function previewCampaign(
  db: Reader,
  accountId: number,
  id: number,
  subscriber: number | undefined,
  options: SendingOptions,
): Promise<Preview> {
  const row = await campaignRow(db, accountId, id);
  return refusing(async () => {
    const source = await messageSource(db, row, options);
    const values = await previewValues(db, accountId, subscriber, source.conditions);
    return previewMessage({ ...source, message_id: 0 }, values, clock.now());
  });
}

/** For the editors: what is not saved yet, with all that is wrong named beside it. */
export async function previewDraft(
  db: Reader,
  accountId: number,
  id: number,
  draft: DraftContent,
  subscriber: number | undefined,
  options: SendingOptions,
) {
  const row = await campaignRow(db, accountId, id);
  let findings: Finding[] = [];
  try {
    const source = { ...(await messageSource(db, row, options, draft)), message_id: 0 };
    const found = await contentFindings(db, accountId, source, draft);
    findings = found.filter(({ part }) => part === 'html' || part === 'text').map(presentFinding);
    const values = await previewValues(db, accountId, subscriber, source.conditions);
    return { ...previewMessage(source, values, clock.now()), findings };
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    if (findings.length === 0) findings = error.findings.map(presentFinding);
    const { subject, preheader } = row;
    const size = Buffer.byteLength(draft.html ?? '');
    return { subject, preheader, html: null, text: null, size, findings };
  }
}

async function contentFindings(
  db: Reader,
  accountId: number,
  source: MessageSource,
  content: DraftContent,
): Promise<ContentFinding[]> {
  const names = await fieldNames(db, accountId);
  const document = content.kind === 'editor' ? readableDocument(content.document) : undefined;
  const gone = await findingsOfGone(db, accountId, source.html ?? '', document);
  return [...gone, ...checkContent(source, names, document)];
}

/** The mail as a small picture of it: what cannot be rendered is an empty page. */
export async function thumbnailHtml(
  db: Reader,
  accountId: number,
  id: number,
  options: SendingOptions,
): Promise<string> {
  const row = await campaignRow(db, accountId, id);
  try {
    const source = { ...(await messageSource(db, row, options)), message_id: 0 };
    const { html, text } = previewMessage(source, {}, clock.now());
    return html ?? plainMailPage(text);
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    return plainMailPage('');
  }
}

export async function listPreviewPeople(db: Reader, accountId: number, search: string | undefined) {
  // No address and no name has a NUL in it, and the database takes none.
  const words = search?.replaceAll('\0', ' ').trim() || undefined;
  const people = await findPeople(db, accountId, words, 8);
  return people.map(({ id, email, firstname, lastname }) => ({
    id: encodeId('subscriber', id),
    email: email ?? '',
    name: [firstname, lastname].filter(Boolean).join(' '),
  }));
}

/** Everything to know before sending, worst first. */
export async function checkCampaign(
  db: Reader,
  row: CampaignRow,
  options: SendingOptions,
): Promise<Finding[]> {
  const audience = await audienceOf(db, row);
  const chosen = audience.groups.length + (audience.segments?.length ?? 0);
  const isAnybody = audience.all || audience.unopened !== undefined || chosen > 0;
  const inContent = await findingsOf(db, row, options);
  const found = (
    isAnybody ? await countEmpty(db, row.account_id, audience, inContent) : inContent
  ).map(presentFinding);
  found.push(...(await senderFindings(db, row, options)));
  found.push(...(await recipientsFindings(db, row, isAnybody ? audience : undefined, options)));
  const order = ['error', 'warning', 'tip'];
  return found.sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
}

/** What stands in the way of any copy, a test mail too: nobody is counted for it. */
export async function mailErrors(
  db: Reader,
  row: CampaignRow,
  options: SendingOptions,
): Promise<Finding[]> {
  const inContent = (await findingsOf(db, row, options)).map(presentFinding);
  const found = [...inContent, ...(await senderFindings(db, row, options))];
  return found.filter((finding) => finding.severity === 'error');
}

async function recipientsFindings(
  db: Reader,
  row: CampaignRow,
  audience: Audience | undefined,
  options: SendingOptions,
): Promise<Finding[]> {
  const broken = (await brokenSegmentsOf(db, row)).map(({ title }) => ({
    ...recipientsFinding('segment_broken'),
    values: { title },
  }));
  if (!audience) return [...broken, recipientsFinding('recipients_missing')];
  const { count } = await countAudience(db, row.account_id, audience);
  if (count === 0) return [...broken, recipientsFinding('recipients_none')];
  return [...broken, ...(await newDomainFindings(db, row, count, options))];
}

/** A domain that nobody knows sends much at once: that looks like spam, and a warm-up spreads it. */
async function newDomainFindings(
  db: Reader,
  row: CampaignRow,
  count: number,
  options: SendingOptions,
): Promise<Finding[]> {
  if (!options.needsVerifiedSender || row.from_email === '') return [];
  const domain = await newSenderDomain(db, row.account_id, row.from_email, count);
  if (domain === undefined) return [];
  return [
    {
      code: 'warm_up_advised',
      severity: 'warning',
      step: 'warm_up',
      part: 'sender',
      values: { domain: domainToUnicode(domain), total: count },
    },
  ];
}

/** Values without a fallback, with how many recipients have none; those that all have are fine. */
async function countEmpty(
  db: Reader,
  accountId: number,
  audience: Audience,
  findings: readonly ContentFinding[],
): Promise<ContentFinding[]> {
  const open = findings.filter((finding) => finding.code === 'tag_without_fallback');
  if (open.length === 0) return [...findings];
  const fields = await readFields(db, accountId);
  const values = open.flatMap(({ values: { name } = {} }): NamedValue[] => {
    if (name === 'firstname' || name === 'lastname' || name === 'phone') {
      return [{ name, column: name }];
    }
    const field = fields.find((one) => one.name === name);
    return field ? [{ name: field.name, field: field.id }] : [];
  });
  const lacking = await countWithout(db, accountId, audience, values);
  return findings.flatMap((finding) => {
    const count = open.includes(finding) ? lacking.get(String(finding.values?.name)) : undefined;
    if (count === undefined) return [finding];
    if (count === 0) return [];
    return [{ ...finding, code: 'tag_empty_for', values: { ...finding.values, count } }];
  });
}

async function findingsOf(
  db: Reader,
  row: CampaignRow,
  options: SendingOptions,
): Promise<ContentFinding[]> {
  try {
    const source = { ...(await messageSource(db, row, options)), message_id: 0 };
    return await contentFindings(db, row.account_id, source, await contentOf(db, row));
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    return error.findings;
  }
}

/** What mailbox providers look at first: proven, aligned (RFC 9989), with a DMARC policy. */
async function senderFindings(
  db: Reader,
  row: CampaignRow,
  options: SendingOptions,
): Promise<Finding[]> {
  if (!options.needsVerifiedSender || row.from_email === '') return [];
  const finding = (code: string, severity: Finding['severity']): Finding[] => [
    { code, severity, step: 'settings', part: 'sender' },
  ];
  if (!(await isVerifiedSender(db, row.account_id, row.from_email))) {
    return finding('sender_not_verified', 'error');
  }
  const alignment = await alignmentOf(db, row.account_id, row.from_email);
  if (alignment && !alignment.dkim && !alignment.spf) {
    return finding('sender_not_aligned', 'warning');
  }
  return alignment?.dmarc_policy === null ? finding('sender_without_dmarc', 'tip') : [];
}

function recipientsFinding(code: string): Finding {
  return { code, severity: 'error', step: 'recipients', part: 'recipients' };
}

const STEP_OF = {
  subject: 'settings',
  preheader: 'settings',
  sender: 'settings',
  html: 'content',
  text: 'content',
} as const;

function presentFinding(finding: ContentFinding): Finding {
  const isAddress = finding.code === 'postal_address_missing';
  return { ...finding, step: isAddress ? 'account' : STEP_OF[finding.part] };
}

async function fieldNames(db: Reader, accountId: number): Promise<string[]> {
  return (await readFields(db, accountId)).map((field) => field.name);
}

/** Content that cannot be sent is an answer of ours, with each error in it. */
async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    const findings = error.findings.map(presentFinding);
    throw new AppError('content_invalid', { extra: { findings } });
  }
}
