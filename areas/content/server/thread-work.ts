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
import { type PageProfile, parsePageProfile } from './website/page-profile.ts';

type PreviewParts = { html: string | undefined; text: string };

/** A URL in a style sheet and its replacement; undefined leaves the URL unchanged. */
export type Replacement = readonly [address: string, made: string | undefined];

export type ThreadTasks = {
  preview: {
    input: { source: MessageSource; values: MergeValues; now: Date };
    output: MessagePreview;
  };
  check: {
    input: {
      source: MessageSource;
      names: readonly string[] | undefined;
      document: EmailDocument | undefined;
    };
    output: ContentFinding[];
  };
  inline: { input: { html: string }; output: string };
  references: { input: { html: string }; output: Reference[] };
  links: { input: { source: MessageSource }; output: readonly MessageLink[] };
  subject: { input: { source: MessageSource; values: MergeValues; now: Date }; output: string };
  pageProfile: { input: { html: string; address: string }; output: PageProfile };
  pageColor: { input: { theme: string; css: string }; output: Color | undefined };
  sheetAddresses: { input: { css: string }; output: string[] };
  replaceAddresses: {
    input: { css: string; replacements: readonly Replacement[] };
    output: string;
  };
  templateParts: { input: { html: string; fields: readonly string[] }; output: TemplateParts };
  render: {
    input: { source: MessageSource; recipient: MessageRecipient; now: Date };
    output: PreviewParts;
  };
};

export type ThreadTask = {
  [K in keyof ThreadTasks]: { task: K } & ThreadTasks[K]['input'];
}[keyof ThreadTasks];

export function runTask(task: ThreadTask): ThreadTasks[keyof ThreadTasks]['output'] {
  switch (task.task) {
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
      return lines.subject.render(task.values, createRenderMoment(task.now, locale));
    }
    case 'pageProfile':
      return parsePageProfile(task.html, task.address);
    case 'pageColor':
      return findPageColor(task.theme, task.css);
    case 'sheetAddresses':
      return listSheetAddresses(task.css);
    case 'replaceAddresses': {
      const replacements = new Map(task.replacements);
      return replaceSheetUrls(task.css, (address) => replacements.get(address));
    }
    case 'templateParts':
      return splitTemplate(task.html, task.fields);
    case 'render':
      return readParts(renderWhole(compileMessage(task.source), task.recipient, task.now));
    default:
      return task satisfies never;
  }
}
