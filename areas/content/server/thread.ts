// Compiling and checking what people wrote, in the pool of threads: a megabyte of bare links takes two seconds.
// Small contents are processed at once.
import { AppError } from '#platform/server/errors.ts';
import { defineWork } from '#platform/server/work-pool.ts';
import type { Colour, EmailDocument } from '../document.ts';
import type { Values } from './merge-tags.ts';
import type { Reference } from './bringing/references.ts';
import { ContentError, type Finding, type Link, type MessageSource } from './message-source.ts';
import type { Preview } from './preview.ts';
import type { Recipient } from './render.ts';
import { type Piece, type Pieces, type Replacement, workOn } from './thread-work.ts';
import type { TemplateParts } from './bringing/template-parts.ts';
import type { PageFacts } from './website/page-facts.ts';

/** Of processor time; a large newsletter takes 50 ms. */
const AUTHOR_CPU_MS = 10_000;
const STRANGER_CPU_MS = 3_000;
/** Contents that take a few milliseconds whatever they are. */
const MAX_SMALL_SIZE = 12_000;

const contentWork = defineWork<Piece, unknown>({
  kind: 'content',
  url: new URL('./content-work.ts', import.meta.url),
  cpuMs: AUTHOR_CPU_MS,
  // A transaction that runs again asks a moment later.
  sameAs: (piece) => ({ ...piece, now: undefined }),
  tooHeavy: () => new AppError('document_too_slow'),
  revive: (failure) =>
    typeof failure === 'string' ? new Error(failure) : new ContentError(failure as Finding[]),
});

type Run = (piece: Piece) => Promise<unknown>;
const forAuthor: Run = (piece) => contentWork(piece);
/** Readers who follow a link of an email take turns of their own: they never wait behind their author's work. */
const forStranger: Run = (piece) =>
  contentWork(piece, { key: 'strangers', cpuMs: STRANGER_CPU_MS });

async function done<K extends keyof Pieces>(
  run: Run,
  piece: { do: K } & Pieces[K]['of'],
): Promise<Pieces[K]['gives']> {
  const isSmall = sizeOf(piece) <= MAX_SMALL_SIZE;
  return (await (isSmall ? workOn(piece as Piece) : run(piece as Piece))) as Pieces[K]['gives'];
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  return Object.values(value).reduce((sum: number, one) => sum + sizeOf(one), 0);
}

/** As `previewMessage`. @throws ContentError; AppError `document_too_slow` */
export function previewSource(source: MessageSource, values: Values, now: Date): Promise<Preview> {
  return done(forAuthor, { do: 'preview', source, values, now });
}

/** As `checkContent`. */
export function checkSource(
  source: MessageSource,
  names?: readonly string[],
  document?: EmailDocument,
): Promise<Finding[]> {
  return done(forAuthor, { do: 'check', source, names, document });
}

/** As `inlineCss`. @throws ContentError */
export function inlineStyles(html: string): Promise<string> {
  return done(forAuthor, { do: 'inline', html });
}

/** As `referencesIn`. */
export function referencesOf(html: string): Promise<Reference[]> {
  return done(forAuthor, { do: 'references', html });
}

/** As `pageFacts`. */
export function factsOfPage(html: string, address: string): Promise<PageFacts> {
  return done(forAuthor, { do: 'pageFacts', html, address });
}

/** As `pageColour`. */
export function colourOfPage(theme: string, css: string): Promise<Colour | undefined> {
  return done(forAuthor, { do: 'pageColour', theme, css });
}

/** The addresses that a style sheet names. */
export function addressesOfSheet(css: string): Promise<string[]> {
  return done(forAuthor, { do: 'sheetAddresses', css });
}

/** The style sheet with some of its addresses replaced. */
export function sheetWith(css: string, put: readonly Replacement[]): Promise<string> {
  return done(forAuthor, { do: 'putAddresses', css, put });
}

/** As `templateParts`. */
export function partsOfTemplate(html: string, fields: readonly string[]): Promise<TemplateParts> {
  return done(forAuthor, { do: 'templateParts', html, fields });
}

/** Of content that is not frozen yet, as `compileNew`. @throws ContentError */
export function linksOfNew(source: MessageSource): Promise<readonly Link[]> {
  // Links are the same whatever the number of the message.
  return done(forAuthor, { do: 'links', source: { ...source, message_id: 0 } });
}

/** The subject as this person reads it, of what is frozen. */
export function subjectOf(source: MessageSource, values: Values, now: Date): Promise<string> {
  return done(forAuthor, { do: 'subject', source, values, now });
}

/** Both parts of what is frozen, for one recipient. */
export function showMessage(
  source: MessageSource,
  recipient: Recipient,
  now: Date,
  { isForStrangers = false } = {},
): Promise<{ html: string | undefined; text: string }> {
  return done(isForStrangers ? forStranger : forAuthor, { do: 'show', source, recipient, now });
}
