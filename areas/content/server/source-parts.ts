// Converts saved content to parts of a message source: renders documents, inlines style sheets of
// custom HTML and copies plain text.
import { LOCALE, type Language } from '#platform/languages.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { nameNetworks } from '../network-names.ts';
import { readBrand } from './brand/brand.ts';
import type { MessageCondition } from './personalization/conditions.ts';
import { type DraftContent, parseReadableDocument } from './content-source.ts';
import { createCalendarFiles } from './document/calendar.ts';
import { createCountdownSources } from './countdowns/countdown-address.ts';
import type { DocumentTexts } from './document/frame.ts';
import { renderDocument } from './document/render-document.ts';
import type { MessageSource } from './personalization/message-source.ts';
import { replaceCartLink, fillShopBlocks } from './personalization/shop-blocks.ts';
import { inlineStyles } from './thread.ts';

/** Facts about the account that its emails contain. */
export type SenderProfile = { language: Language; company: string; public_url: string };

/** Parts of a `MessageSource` that come from content. */
export type SourceParts = {
  html: string | null;
  text: string | null;
  conditions: MessageCondition[];
  /** Preheader of the document; a campaign's own takes precedence. */
  preheader: string;
  /** Calendar files of the document's events, attached to each copy. */
  attachments: NonNullable<MessageSource['attachments']>;
};

/** Returns the texts in the email's language. */
export function documentTexts(language: Language): DocumentTexts {
  const t = serverTexts('content', language);
  const word = serverTexts('content.words', language);
  return {
    unsubscribe: t('unsubscribe'),
    play: t('play'),
    addToCalendar: t('calendar.add'),
    calendarFile: t('calendar.file'),
    countdownEnds: t('countdown.ends'),
    networks: nameNetworks((link) => word(`links.${link}`)),
  };
}

/** Encodes braces in a URL that the author did not write, because they are not merge tags. */
export const encodeBraces = (address: string): string =>
  address.replace(/[{}]/g, encodeURIComponent);

/** @throws ContentError for a document that cannot be rendered */
export async function createSourceParts(
  db: Reader,
  accountId: number,
  content: DraftContent,
  sender: SenderProfile,
): Promise<SourceParts> {
  const { kind, html, plain_text: text } = content;
  if (kind !== 'editor') {
    const inlinedHtml =
      kind === 'html' && content.inline_css && html ? await inlineStyles(html) : html;
    const cartOptions = { accountId, publicUrl: sender.public_url };
    return {
      ...{
        html: replaceCartLink(inlinedHtml, cartOptions),
        text: replaceCartLink(text, cartOptions),
      },
      ...{ conditions: [], preheader: '', attachments: [] },
    };
  }
  const { language, public_url: publicUrl } = sender;
  const document = await fillShopBlocks(db, parseReadableDocument(content.document), {
    ...{ accountId, publicUrl, locale: LOCALE[language] },
  });
  const { logo, website: written } = await readBrand(db, accountId);
  const website = encodeBraces(written);
  const texts = documentTexts(language);
  const countdowns = createCountdownSources(document, accountId, language);
  const context = { ...sender, logo, website, texts, countdowns };
  const rendering = await renderDocument(document, context);
  const { preheader } = document.settings;
  const attachments = createCalendarFiles(document, new URL(publicUrl).hostname);
  const plainText = text?.trim() ? replaceCartLink(text, { accountId, publicUrl }) : rendering.text;
  return { ...rendering, text: plainText, preheader, attachments };
}
