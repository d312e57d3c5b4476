// Outlook's conditional comments in custom HTML: tables, VML buttons, content hidden from other
// clients. They are extracted before cleaning and restored after it, unless Outlook would then get
// a broken email or forbidden content.
import { decodeEntities } from './character-references.ts';
import { scanHtml } from '../../html-scanner.ts';

const OPEN_MARK = '\ufdd4';
const CLOSE = '\ufdd5';
const PLACEHOLDER = /\ufdd4(\d+)\ufdd5/g;

const CONDITION = String.raw`<!--\[if ([^\]>]{1,200})\]>`;
/** Content within one comment, which only Outlook shows, and only if the condition holds. */
const HIDDEN = new RegExp(`^${CONDITION}([^]*)<!\\[endif\\]-->$`, 'i');
/**
 * Start of content between two comments. Outlook hides it unless the condition holds; other clients
 * always show it.
 */
const START = new RegExp(`^${CONDITION}\\s*(?:<!)?-->$`, 'i');
const END = /^<!--\s*<!\[endif\]-->$/i;

type Comment = { source: string; kind: 'hidden' | 'begin' | 'end'; content: string };
export type MaskedComments = { text: string; comments: Comment[] };

/** Replaces each harmless conditional comment with a placeholder and removes all other comments. */
export function maskComments(html: string, allowedTags: ReadonlySet<string>): MaskedComments {
  const clean = html.replace(/[\ufdd4\ufdd5]/g, '\ufffd');
  const comments: Comment[] = [];
  let text = '';
  let position = 0;
  while (position < clean.length) {
    const start = clean.indexOf('<!--', position);
    const end = start === -1 ? -1 : clean.indexOf('-->', start + 4);
    if (end === -1) break;
    text += clean.slice(position, start);
    position = end + 3;
    const comment = parseComment(clean.slice(start, position));
    if (comment === undefined || !isHarmless(comment.content, allowedTags)) continue;
    text += OPEN_MARK + (comments.push(comment) - 1) + CLOSE;
  }
  return { text: text + clean.slice(position), comments };
}

function parseComment(source: string): Comment | undefined {
  if (END.test(source)) return { source, kind: 'end', content: '' };
  if (START.test(source)) return { source, kind: 'begin', content: '' };
  const content = HIDDEN.exec(source)?.[2];
  // Browsers end a comment at `--!>` too, and would show the rest to all readers.
  if (content === undefined || content.includes('--!>')) return undefined;
  return { source, kind: 'hidden', content };
}

function isHarmless(content: string, allowedTags: ReadonlySet<string>): boolean {
  for (const token of scanHtml(content)) {
    if (token.type === 'comment') return false;
    if (token.type !== 'open') continue;
    if (!allowedTags.has(token.name) && !/^(?:[vow]:[a-z]+|xml|style)$/.test(token.name))
      return false;
    for (const { name, start, end } of token.attributes) {
      if (name.startsWith('on')) return false;
      const value = decodeEntities(content.slice(start, end)).replace(/[\s\0]/g, '');
      if (/^(?:javascript|vbscript|data):/i.test(value)) return false;
    }
  }
  return true;
}

/** Restores the comments of the placeholders. */
export function restoreComments(html: string, { comments }: MaskedComments): string {
  return html.replace(PLACEHOLDER, (_, index) => comments[Number(index)]?.source ?? '');
}

export function removePlaceholders(html: string): string {
  return html.replace(PLACEHOLDER, '').replace(/[\ufdd4\ufdd5]/g, '');
}

/** Returns true if each element and each condition is closed when Outlook reads the HTML. */
export function isWholeForOutlook(html: string): boolean {
  const outlookHtml = readByOutlook(html);
  return outlookHtml !== undefined && isBalanced(outlookHtml);
}

function readByOutlook(html: string): string | undefined {
  let output = '';
  let position = 0;
  /** Undefined outside a condition; inside, true if Outlook reads the content. */
  let isRead: boolean | undefined;
  const append = (chunk: string) => {
    if (isRead !== false) output += chunk;
  };
  while (position < html.length) {
    const start = html.indexOf('<!--', position);
    const end = start === -1 ? -1 : html.indexOf('-->', start + 4);
    if (end === -1) break;
    append(html.slice(position, start));
    position = end + 3;
    const source = html.slice(start, position);
    const comment = parseComment(source);
    if (comment?.kind === 'hidden' && isForOutlook(source)) append(comment.content);
    if (comment?.kind === 'begin') {
      if (isRead !== undefined) return undefined;
      isRead = isForOutlook(source);
    }
    if (comment?.kind === 'end') {
      if (isRead === undefined) return undefined;
      isRead = undefined;
    }
  }
  append(html.slice(position));
  return isRead === undefined ? output : undefined;
}

const isForOutlook = (comment: string) => !/^<!--\[if[^\]]*!/i.test(comment);
const VOID = /^(?:area|base|br|col|hr|img|input|link|meta|source|wbr|o:[a-z]+)$/;

function isBalanced(html: string): boolean {
  const openTags: string[] = [];
  for (const token of scanHtml(html)) {
    if (token.type === 'open') {
      const isClosed = VOID.test(token.name) || html[token.end - 2] === '/';
      if (!isClosed) openTags.push(token.name);
    } else if (token.type === 'close' && !VOID.test(token.name) && openTags.pop() !== token.name) {
      return false;
    }
  }
  return openTags.length === 0;
}
