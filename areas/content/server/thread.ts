// Compiling and checking what people wrote, off the thread that answers everybody: a megabyte of bare links
// takes two seconds. What is small is done at once.
import { AppError } from '#platform/server/errors.ts';
import { createWorkThread, type WorkThread } from '#platform/server/work-thread.ts';
import type { EmailDocument } from '../document.ts';
import type { Values } from './merge-tags.ts';
import type { Reference } from './bringing/references.ts';
import { ContentError, type Finding, type Link, type MessageSource } from './message-source.ts';
import type { Preview } from './preview.ts';
import type { Recipient } from './render.ts';
import { type Piece, type Pieces, workOn } from './thread-work.ts';

/** A large newsletter takes 50 ms, the first one of a thread half a second more. */
const AUTHOR_MS = 15_000;
const STRANGER_MS = 3_000;
/** Letters that take a few milliseconds, whatever they are. */
const SMALL = 12_000;

const threadFor = (limitMs: number) =>
  createWorkThread<Piece, unknown>({
    url: new URL('./content-thread.ts', import.meta.url),
    limitMs,
    heapMegabytes: 512,
    tooSlow: () => new AppError('document_too_slow'),
    revive: (failure) =>
      typeof failure === 'string' ? new Error(failure) : new ContentError(failure as Finding[]),
  });

/** Whoever follows a link of a mail never waits behind an author, nor an author behind them. */
const authors = threadFor(AUTHOR_MS);
const strangers = threadFor(STRANGER_MS);

async function done<K extends keyof Pieces>(
  thread: WorkThread<Piece, unknown>,
  piece: { do: K } & Pieces[K]['of'],
): Promise<Pieces[K]['gives']> {
  const isSmall = sizeOf(piece) <= SMALL;
  return (await (isSmall
    ? workOn(piece as Piece)
    : thread.ask(piece as Piece))) as Pieces[K]['gives'];
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  return Object.values(value).reduce((sum: number, one) => sum + sizeOf(one), 0);
}

/** As `previewMessage`. @throws ContentError; AppError `document_too_slow` */
export function previewSource(source: MessageSource, values: Values, now: Date): Promise<Preview> {
  return done(authors, { do: 'preview', source, values, now });
}

/** As `checkContent`. */
export function checkSource(
  source: MessageSource,
  names?: readonly string[],
  document?: EmailDocument,
): Promise<Finding[]> {
  return done(authors, { do: 'check', source, names, document });
}

/** As `inlineCss`. @throws ContentError */
export function inlineStyles(html: string): Promise<string> {
  return done(authors, { do: 'inline', html });
}

/** As `referencesIn`. */
export function referencesOf(html: string): Promise<Reference[]> {
  return done(authors, { do: 'references', html });
}

/** Of content that is not frozen yet, as `compileNew`. @throws ContentError */
export function linksOfNew(source: MessageSource): Promise<readonly Link[]> {
  return done(authors, { do: 'links', source });
}

/** The subject as this person reads it, of what is frozen. */
export function subjectOf(source: MessageSource, values: Values, now: Date): Promise<string> {
  return done(authors, { do: 'subject', source, values, now });
}

/** Both parts of what is frozen, for one recipient. */
export function showMessage(
  source: MessageSource,
  recipient: Recipient,
  now: Date,
  { isForStrangers = false } = {},
): Promise<{ html: string | undefined; text: string }> {
  return done(isForStrangers ? strangers : authors, { do: 'show', source, recipient, now });
}
