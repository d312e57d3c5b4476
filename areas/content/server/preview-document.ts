// A document shown apart from any campaign: templates, saved sections, mails of other areas while they
// are being written.
import { type AccountFacts, postalAddressOf, readAccount } from '#areas/accounts/server/index.ts';
import { readFields } from '#areas/fields/server/index.ts';
import { isLanguage, type Language } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database.ts';
import type { EmailDocument } from '../document.ts';
import { checkContent } from './check-content.ts';
import {
  readableDocument,
  type SenderFacts,
  type SourceParts,
  sourceParts,
} from './content-source.ts';
import { locateFindings } from './document-findings.ts';
import { goneConditions } from './gone-conditions.ts';
import { goneImages } from './images.ts';
import { previewValues } from './memberships.ts';
import { ContentError, type Finding, type MessageSource } from './message-source.ts';
import { messageWords } from './message-words.ts';
import { previewMessage } from './preview.ts';

type Wish = {
  document: unknown;
  subject?: string | undefined;
  preheader?: string | undefined;
  language?: Language | undefined;
};

/** As a subscriber would get it; nothing is sent, so nobody is asked for a sender or an address. */
export async function previewDocument(
  db: Reader,
  accountId: number,
  wish: Wish,
  subscriberId: number | undefined,
  publicUrl: string,
) {
  const account = await readAccount(db, accountId);
  const language = [wish.language, account.language].find(isLanguage) ?? 'eng';
  const facts = { language, company: account.title, public_url: publicUrl };
  const { subject = '', preheader = '' } = wish;
  const content = { document: wish.document, html: null, plain_text: null, inline_css: false };
  let findings: Finding[] = [];
  try {
    const document = readableDocument(wish.document);
    const parts = await sourceParts(db, accountId, { kind: 'editor', ...content }, facts);
    const lines = { subject, preheader: preheader || parts.preheader };
    const source = { ...plainSource(account, facts, parts), ...lines };
    const names = (await readFields(db, accountId)).map((field) => field.name);
    findings = [
      ...checkContent(source, names, document).filter(
        ({ part }) => part === 'html' || part === 'text',
      ),
      ...(await findingsOfGone(db, accountId, source.html ?? '', document)),
    ];
    const values = await previewValues(db, accountId, subscriberId, parts.conditions);
    return { ...previewMessage(source, values, clock.now()), findings };
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    if (findings.length === 0) findings = error.findings;
    return { subject, preheader, html: null, text: null, size: 0, findings };
  }
}

/**
 * What the account no longer has: an error for each picture that was taken out of the library, and for
 * each section whose condition names a group, segment or field that is gone.
 */
export async function findingsOfGone(
  db: Reader,
  accountId: number,
  html: string,
  document?: EmailDocument,
): Promise<Finding[]> {
  const gone = await goneImages(db, accountId, html);
  const findings = gone.map(
    (url): Finding => ({ code: 'image_deleted', severity: 'error', part: 'html', values: { url } }),
  );
  if (document === undefined) return findings;
  return [
    ...locateFindings(document, findings),
    ...(await goneConditions(db, accountId, document)),
  ];
}

/** A message of nobody, for looking at. */
export function plainSource(
  account: AccountFacts,
  facts: SenderFacts,
  parts: SourceParts,
): MessageSource {
  const { language, company, public_url } = facts;
  return {
    kind: 'marketing',
    account_id: account.id,
    message_id: 0,
    company,
    street: account.address ?? '',
    postal_address: postalAddressOf({ ...account, title: '' }).join(', '),
    subject: '',
    preheader: '',
    from: { name: company, email: '' },
    reply_to: '',
    html: parts.html,
    text: parts.text,
    conditions: parts.conditions,
    language,
    words: messageWords(language, company),
    public_url,
    unsubscribe_mailbox: '',
    is_tracked: false,
  };
}
