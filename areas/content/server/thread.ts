// Compiles, checks and imports user content. Large content is processed on worker threads, because
// a megabyte of bare links takes two seconds; small content is processed in the calling thread.
import { AppError } from '#platform/server/errors.ts';
import { defineWork } from '#platform/server/work/work-pool.ts';
import type { Color, EmailDocument } from '../document.ts';
import type { MergeValues } from './personalization/merge-tags.ts';
import type { Reference } from './html-import/references.ts';
import {
  ContentError,
  type ContentFinding,
  type MessageLink,
  type MessageSource,
} from './personalization/message-source.ts';
import type { MessagePreview } from './preview.ts';
import type { MessageRecipient } from './mime/render.ts';
import { type ThreadTask, type ThreadTasks, type Replacement, runTask } from './thread-work.ts';
import type { TemplateParts } from './html-import/template-parts.ts';
import type { PageProfile } from './website/page-profile.ts';

/** CPU time; a large newsletter takes 50 ms. */
const AUTHOR_CPU_MS = 10_000;
const STRANGER_CPU_MS = 3_000;
/** Contents below this many characters take a few milliseconds at worst. */
const MAX_SMALL_SIZE = 12_000;

const contentWork = defineWork<ThreadTask, unknown>({
  kind: 'content',
  url: new URL('./content-work.ts', import.meta.url),
  cpuMs: AUTHOR_CPU_MS,
  // Tasks are compared without their time: a retried transaction has a later time, but the result
  // is the same.
  getCacheKey: (task) => ({ ...task, now: undefined }),
  createKillError: () => new AppError('document_too_slow'),
  toError: (failure) =>
    typeof failure === 'string'
      ? new Error(failure)
      : new ContentError(failure as ContentFinding[]),
});

type Run = (task: ThreadTask) => Promise<unknown>;
const forAuthor: Run = (task) => contentWork(task);
/**
 * Readers who open a link in an email have their own queue, so they never wait for the work of
 * authors.
 */
const forOutsider: Run = (task) => contentWork(task, { key: 'strangers', cpuMs: STRANGER_CPU_MS });

async function runTaskInThread<K extends keyof ThreadTasks>(
  run: Run,
  task: { task: K } & ThreadTasks[K]['input'],
): Promise<ThreadTasks[K]['output']> {
  const isSmall = computeSize(task) <= MAX_SMALL_SIZE;
  return (await (isSmall
    ? runTask(task as ThreadTask)
    : run(task as ThreadTask))) as ThreadTasks[K]['output'];
}

function computeSize(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  return Object.values(value).reduce((total: number, part) => total + computeSize(part), 0);
}

/** Like `previewMessage`. @throws ContentError; AppError `document_too_slow` */
export function previewSource(
  source: MessageSource,
  values: MergeValues,
  now: Date,
): Promise<MessagePreview> {
  return runTaskInThread(forAuthor, { task: 'preview', source, values, now });
}

/** Like `checkContent`. */
export function checkSource(
  source: MessageSource,
  names?: readonly string[],
  document?: EmailDocument,
): Promise<ContentFinding[]> {
  return runTaskInThread(forAuthor, { task: 'check', source, names, document });
}

/** Like `inlineCss`. @throws ContentError */
export function inlineStyles(html: string): Promise<string> {
  return runTaskInThread(forAuthor, { task: 'inline', html });
}

/** Like `listReferences`. */
export function extractReferences(html: string): Promise<Reference[]> {
  return runTaskInThread(forAuthor, { task: 'references', html });
}

/** Like `parsePageProfile`. */
export function extractPageProfile(html: string, address: string): Promise<PageProfile> {
  return runTaskInThread(forAuthor, { task: 'pageProfile', html, address });
}

/** Like `findPageColor`. */
export function extractPageColor(theme: string, css: string): Promise<Color | undefined> {
  return runTaskInThread(forAuthor, { task: 'pageColor', theme, css });
}

/** URLs in a style sheet. */
export function extractSheetAddresses(css: string): Promise<string[]> {
  return runTaskInThread(forAuthor, { task: 'sheetAddresses', css });
}

/** Replaces some URLs in the style sheet. */
export function replaceInSheet(css: string, replacements: readonly Replacement[]): Promise<string> {
  return runTaskInThread(forAuthor, { task: 'replaceAddresses', css, replacements });
}

/** Like `splitTemplate`. */
export function extractTemplateParts(
  html: string,
  fields: readonly string[],
): Promise<TemplateParts> {
  return runTaskInThread(forAuthor, { task: 'templateParts', html, fields });
}

/** Returns the links of content that is not frozen yet, like `listLinks`. @throws ContentError */
export function extractNewLinks(source: MessageSource): Promise<readonly MessageLink[]> {
  // Links do not depend on the id of the message.
  return runTaskInThread(forAuthor, { task: 'links', source: { ...source, message_id: 0 } });
}

/** Renders the subject of a frozen message for this recipient. */
export function renderSubject(
  source: MessageSource,
  values: MergeValues,
  now: Date,
): Promise<string> {
  return runTaskInThread(forAuthor, { task: 'subject', source, values, now });
}

/** Renders the HTML and the plain text of a frozen message for one recipient. */
export function showMessage(
  source: MessageSource,
  recipient: MessageRecipient,
  now: Date,
  { isForStrangers = false } = {},
): Promise<{ html: string | undefined; text: string }> {
  return runTaskInThread(isForStrangers ? forOutsider : forAuthor, {
    task: 'render',
    source,
    recipient,
    now,
  });
}
