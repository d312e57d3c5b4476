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
import { type PageProfile, parsePageProfile } from './website/page-facts.ts';

type PreviewParts = { html: string | undefined; text: string };

/** A URL in a style sheet and its replacement. */
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
  pageProfile: { of: { html: string; address: string }; gives: PageProfile };
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

export function runTask(task: ThreadTask): ThreadTasks[keyof ThreadTasks]['gives'] {
  switch (task.do) {
    case 'preview':
      return previewMessage(task.source, task.values, task.now);
    case 'check':
      return checkContent(task.source, task.names, task.document);
    case 'inline':
      return inlineCss(task.html);
    case 'references':
      return listReferences(task.html);
    case 'links':
      return listLinks(task.source);
    case 'subject': {
      const { lines, locale } = compileMessage(task.source);
      return lines.subject.of(task.values, createRenderMoment(task.now, locale));
    }
    case 'pageProfile':
      return parsePageProfile(task.html, task.address);
    case 'pageColor':
      return findPageColor(task.theme, task.css);
    case 'sheetAddresses':
      return listSheetAddresses(task.css);
    case 'putAddresses': {
      const replacements = new Map(task.put);
      return replaceSheetUrls(task.css, (address) => replacements.get(address));
    }
    case 'templateParts':
      return splitTemplate(task.html, task.fields);
    case 'show':
      return readParts(renderWhole(compileMessage(task.source), task.recipient, task.now));
    default:
      return task satisfies never;
  }
}
