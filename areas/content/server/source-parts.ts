// From what an editor saved to what a message is made of: documents are rendered, style sheets of
// custom HTML written into its elements, plain text is taken as it is.
import { LOCALE, type Language } from '#platform/languages.ts';
import type { Reader } from '#platform/server/database.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { readBrand } from './brand.ts';
import type { MessageCondition } from './conditions.ts';
import { type DraftContent, readableDocument } from './content-source.ts';
import { calendarFiles } from './document/calendar.ts';
import type { DocumentWords } from './document/frame.ts';
import { renderDocument } from './document/render-document.ts';
import type { MessageSource } from './message-source.ts';
import { withShopBlocks } from './shop-blocks.ts';
import { inlineStyles } from './thread.ts';

/** What an account puts into its mails, whatever they say. */
export type SenderFacts = { language: Language; company: string; public_url: string };

/** The parts of a `MessageSource` that come from content. */
export type SourceParts = {
  html: string | null;
  text: string | null;
  conditions: MessageCondition[];
  /** The document's own; a campaign's preheader comes first. */
  preheader: string;
  /** What each copy carries: calendar files of its events. */
  attachments: NonNullable<MessageSource['attachments']>;
};

/** Of the mail's language. @param t of `content` */
export const documentWords = (t: (key: string) => string): DocumentWords => ({
  unsubscribe: t('unsubscribe'),
  play: t('play'),
  addToCalendar: t('calendar.add'),
  calendarFile: t('calendar.file'),
});

/** An address that is not the author's own text: braces of it are no merge tags. */
export const withEncodedBraces = (address: string): string =>
  address.replace(/[{}]/g, encodeURIComponent);

/** @throws ContentError for a document that cannot be rendered */
export async function sourceParts(
  db: Reader,
  accountId: number,
  content: DraftContent,
  facts: SenderFacts,
): Promise<SourceParts> {
  const { kind, html, plain_text: text } = content;
  if (kind !== 'editor') {
    const inlined = kind === 'html' && content.inline_css && html ? await inlineStyles(html) : html;
    return { html: inlined, text, conditions: [], preheader: '', attachments: [] };
  }
  const { language, public_url: publicUrl } = facts;
  const document = await withShopBlocks(db, readableDocument(content.document), {
    ...{ accountId, publicUrl, locale: LOCALE[language] },
  });
  const { logo, website: written } = await readBrand(db, accountId);
  const website = withEncodedBraces(written);
  const t = serverTexts('content', facts.language);
  const words = documentWords(t);
  const rendered = await renderDocument(document, { ...facts, logo, website, words });
  const { preheader } = document.settings;
  const attachments = calendarFiles(document, new URL(publicUrl).hostname);
  return { ...rendered, text: text?.trim() ? text : rendered.text, preheader, attachments };
}
