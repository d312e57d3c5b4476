// Functions that run on the content threads; their input and output are plain data.
import type { Color, EmailDocument } from '../document.ts';
import {
  addressesInSheet,
  type Reference,
  referencesIn,
  replaceSheetUrls,
} from './html-import/references.ts';
import { type TemplateParts, templateParts } from './html-import/template-parts.ts';
import { checkContent } from './checks/check-content.ts';
import { compileMessage, linksOf } from './mime/compile-message.ts';
import { inlineCss } from './content-source.ts';
import type { Values } from './personalization/merge-tags.ts';
import type { Finding, Link, MessageSource } from './personalization/message-source.ts';
import { type Preview, previewMessage, readParts, renderWhole } from './preview.ts';
import { renderMomentAt, type Recipient } from './mime/render.ts';
import { pageColor } from './website/page-color.ts';
import { type PageFacts, pageFacts } from './website/page-facts.ts';

type Parts = { html: string | undefined; text: string };

/** A URL of a style sheet, and its replacement. */
export type Replacement = readonly [address: string, made: string | undefined];

export type Pieces = {
  preview: { of: { source: MessageSource; values: Values; now: Date }; gives: Preview };
  check: {
    of: {
      source: MessageSource;
      names: readonly string[] | undefined;
      document: EmailDocument | undefined;
    };
    gives: Finding[];
  };
  inline: { of: { html: string }; gives: string };
  references: { of: { html: string }; gives: Reference[] };
  links: { of: { source: MessageSource }; gives: readonly Link[] };
  subject: { of: { source: MessageSource; values: Values; now: Date }; gives: string };
  pageFacts: { of: { html: string; address: string }; gives: PageFacts };
  pageColor: { of: { theme: string; css: string }; gives: Color | undefined };
  sheetAddresses: { of: { css: string }; gives: string[] };
  putAddresses: { of: { css: string; put: readonly Replacement[] }; gives: string };
  templateParts: { of: { html: string; fields: readonly string[] }; gives: TemplateParts };
  show: { of: { source: MessageSource; recipient: Recipient; now: Date }; gives: Parts };
};

export type Piece = { [K in keyof Pieces]: { do: K } & Pieces[K]['of'] }[keyof Pieces];

export function workOn(piece: Piece): Pieces[keyof Pieces]['gives'] {
  switch (piece.do) {
    case 'preview':
      return previewMessage(piece.source, piece.values, piece.now);
    case 'check':
      return checkContent(piece.source, piece.names, piece.document);
    case 'inline':
      return inlineCss(piece.html);
    case 'references':
      return referencesIn(piece.html);
    case 'links':
      return linksOf(piece.source);
    case 'subject': {
      const { lines, locale } = compileMessage(piece.source);
      return lines.subject.of(piece.values, renderMomentAt(piece.now, locale));
    }
    case 'pageFacts':
      return pageFacts(piece.html, piece.address);
    case 'pageColor':
      return pageColor(piece.theme, piece.css);
    case 'sheetAddresses':
      return addressesInSheet(piece.css);
    case 'putAddresses': {
      const put = new Map(piece.put);
      return replaceSheetUrls(piece.css, (address) => put.get(address));
    }
    case 'templateParts':
      return templateParts(piece.html, piece.fields);
    case 'show':
      return readParts(renderWhole(compileMessage(piece.source), piece.recipient, piece.now));
    default:
      return piece satisfies never;
  }
}
