// Functions that run on the content threads; their input and output are plain data.
import type { Color, EmailDocument } from '../document.ts';
import {
  listSheetAddresses,
  type Reference,
  listReferences,
  replaceSheetUrls,
} from './html-import/references.ts';
import { type TemplateParts, splitTemplate } from './html-import/template-parts.ts';
import { checkContent } from './checks/check-content.ts';
import { compileMessage, listLinks } from './mime/compile-message.ts';
import { inlineCss } from './content-source.ts';
import type { MergeValues } from './personalization/merge-tags.ts';
import type {
  ContentFinding,
  MessageLink,
  MessageSource,
} from './personalization/message-source.ts';
import { type MessagePreview, previewMessage, readParts, renderWhole } from './preview.ts';
import { createRenderMoment, type MessageRecipient } from './mime/render.ts';
import { findPageColor } from './website/page-color.ts';
import { type PageFacts, parsePageFacts } from './website/page-facts.ts';

type PreviewParts = { html: string | undefined; text: string };

/** A URL of a style sheet, and its replacement. */
export type Replacement = readonly [address: string, made: string | undefined];

export type ThreadTasks = {
  preview: { of: { source: MessageSource; values: MergeValues; now: Date }; gives: MessagePreview };
  check: {
    of: {
      source: MessageSource;
      names: readonly string[] | undefined;
      document: EmailDocument | undefined;
    };
    gives: ContentFinding[];
  };
  inline: { of: { html: string }; gives: string };
  references: { of: { html: string }; gives: Reference[] };
  links: { of: { source: MessageSource }; gives: readonly MessageLink[] };
  subject: { of: { source: MessageSource; values: MergeValues; now: Date }; gives: string };
  pageFacts: { of: { html: string; address: string }; gives: PageFacts };
  pageColor: { of: { theme: string; css: string }; gives: Color | undefined };
  sheetAddresses: { of: { css: string }; gives: string[] };
  putAddresses: { of: { css: string; put: readonly Replacement[] }; gives: string };
  templateParts: { of: { html: string; fields: readonly string[] }; gives: TemplateParts };
  show: {
    of: { source: MessageSource; recipient: MessageRecipient; now: Date };
    gives: PreviewParts;
  };
};

export type ThreadTask = {
  [K in keyof ThreadTasks]: { do: K } & ThreadTasks[K]['of'];
}[keyof ThreadTasks];

export function runTask(piece: ThreadTask): ThreadTasks[keyof ThreadTasks]['gives'] {
  switch (piece.do) {
    case 'preview':
      return previewMessage(piece.source, piece.values, piece.now);
    case 'check':
      return checkContent(piece.source, piece.names, piece.document);
    case 'inline':
      return inlineCss(piece.html);
    case 'references':
      return listReferences(piece.html);
    case 'links':
      return listLinks(piece.source);
    case 'subject': {
      const { lines, locale } = compileMessage(piece.source);
      return lines.subject.of(piece.values, createRenderMoment(piece.now, locale));
    }
    case 'pageFacts':
      return parsePageFacts(piece.html, piece.address);
    case 'pageColor':
      return findPageColor(piece.theme, piece.css);
    case 'sheetAddresses':
      return listSheetAddresses(piece.css);
    case 'putAddresses': {
      const put = new Map(piece.put);
      return replaceSheetUrls(piece.css, (address) => put.get(address));
    }
    case 'templateParts':
      return splitTemplate(piece.html, piece.fields);
    case 'show':
      return readParts(renderWhole(compileMessage(piece.source), piece.recipient, piece.now));
    default:
      return piece satisfies never;
  }
}
