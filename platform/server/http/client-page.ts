// The page of the web client, with preload links for each path's screen, so that browsers fetch the
// resources in parallel with the shell instead of after it. With a session, it also contains the
// responses of the screen's first calls.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { brotliCompressSync, constants, createBrotliCompress } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  isLanguage,
  type Language,
  parseAcceptLanguage,
  SHOWN_LANGUAGE,
} from '#platform/languages.ts';
import { LIST_PREFERENCES } from '#platform/list-preferences.ts';
import { clock } from '../clock.ts';
import { toWallTime } from '../zoned-time.ts';
import { readEarlyResponses, SESSION_CALL, readSessionResponse } from './early-responses.ts';
import { escapeHtml } from './public-page.ts';

/**
 * Resources of one screen: files named as in the build's folder, paths as the routes define them:
 * `/groups/$group`.
 */
export type Preload = {
  path: string;
  scripts: string[];
  styles: string[];
  /** Scripts of side panels, which narrow windows open on request. */
  wide?: string[];
  texts: Partial<Record<Language, string[]>>;
  /**
   * The screen's first calls, with path parameters in place of ids:
   * `/client-api/api/groups/$group`. `?$month` stands for the account's last thirty days (`from`
   * and `to`), `?$month_before` for the previous thirty days. Calls with a query are made only if
   * the screen's address has none; the first page of a list gets the browser's preferences.
   */
  calls?: string[];
};

/** Media query of windows with side panels. */
const WIDE = '(min-width: 901px)';
const FAST_BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** Matches image paths in JSON, including the quotes: `"/i/art/hills.png"`. */
const IMAGE = /"\/i\/[\w./-]+\.(?:png|jpe?g|gif|webp)"/g;
const MAX_PICTURES = 4;

type Page = { html: Buffer; brotli: Buffer; etag: string };

/** @param folder of the built client */
export function clientPage(folder: string) {
  let send: ReturnType<typeof readClient> | undefined;
  let builtAt: number | undefined;
  return (request: FastifyRequest, reply: FastifyReply) => {
    // Read when the first page is requested, so that the API works without a built client. Reread
    // after each build, because the file names change.
    const at = statSync(join(folder, 'index.html'), { throwIfNoEntry: false })?.mtimeMs;
    if (!send || (at !== undefined && at !== builtAt)) send = readClient(folder);
    builtAt = at ?? builtAt;
    return send(request, reply);
  };
}

function readClient(folder: string) {
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  const list = join(folder, 'preloads.json');
  const preloads = existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as Preload[]) : [];
  const screens = preloads
    .map((preload) => ({ matches: pathPattern(preload.path), preload }))
    .toSorted((a, b) => paramsIn(a.preload.path) - paramsIn(b.preload.path));
  const pages = new Map<string, Page>();
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const [path = '/'] = request.url.split('?', 1);
    const { matches, preload } = screens.find((screen) => screen.matches.test(path)) ?? {};
    const language = languageOf(request);
    const name = `${preload?.path} ${language}`;
    const page = pages.get(name) ?? pageWith(html, preload, language);
    pages.set(name, page);
    const session = await readSessionResponse(request);
    if (session === undefined) return sendPage(page, request, reply);
    const ids = matches?.exec(path)?.slice(1) ?? [];
    const calls = callsOf(preload, ids, request.url.includes('?'));
    const preferredCalls = withPreferences(calls, request.cookies[LIST_PREFERENCES]);
    const account = accountOf(session);
    const earlyResponses = readEarlyResponses(
      request,
      withDays(preferredCalls, account?.timezone),
      account?.id ?? '',
    );
    return sendPrivate(page, { session, responses: earlyResponses }, request, reply);
  };
}

const paramsIn = (path: string) => path.split('$').length;

function pathPattern(path: string): RegExp {
  const parts = path
    .split('/')
    .map((part) => (part.startsWith('$') ? '([^/]+)' : RegExp.escape(part)));
  return new RegExp(`^${parts.join('/')}/?$`);
}

/**
 * Fills a call's parameters with the ids in the screen's address: at `/groups/k3`, the call
 * `/groups/$group/members` becomes `/groups/k3/members`. Returns an empty list for invalid ids;
 * otherwise the author of a link could choose requests that are made on the reader's behalf.
 */
function withIds(call: string, path: string, ids: readonly string[]): string[] {
  if (!ids.every((id) => /^\w+$/.test(id))) return [];
  const names = path.split('/').filter((part) => part.startsWith('$'));
  return [names.reduce((filledPath, name, i) => filledPath.replaceAll(name, ids[i] ?? ''), call)];
}

function callsOf(preload: Preload | undefined, ids: readonly string[], hasQuery: boolean) {
  const calls = preload?.calls?.flatMap((call) => withIds(call, preload.path, ids)) ?? [];
  return hasQuery ? calls.filter((call) => !call.includes('?')) : calls;
}

/** `limit=25&engagement=true` */
const PREFERENCES = /^[a-z]+=\w{1,20}(?:&[a-z]+=\w{1,20}){0,3}$/;

/**
 * Adds the list preferences in the browser's cookie to calls for the first page of a list. A cookie
 * in another format is ignored.
 */
function withPreferences(calls: readonly string[], preferences = ''): readonly string[] {
  if (!PREFERENCES.test(preferences)) return calls;
  return calls.map((call) => (call.includes('?page=1') ? `${call}&${preferences}` : call));
}

const DAY_MS = 86_400_000;
const MONTH = 30;

function accountOf(session: string): { id: string; timezone: string } | undefined {
  try {
    return (JSON.parse(session) as { data: { account: { id: string; timezone: string } } }).data
      .account;
  } catch {
    return undefined;
  }
}

/** Replaces `$month` and `$month_before`; omits these calls if the account's zone is unknown. */
function withDays(calls: readonly string[], timezone: string | undefined): string[] {
  const isDated = (call: string) => call.includes('?$month');
  if (!calls.some(isDated)) return [...calls];
  try {
    const today = Date.parse(toWallTime(clock.now(), timezone ?? '').slice(0, 10));
    const day = (ago: number) => new Date(today - ago * DAY_MS).toISOString().slice(0, 10);
    const days = (ago: number) => `from=${day(ago + MONTH - 1)}&to=${day(ago)}`;
    return calls.map((call) =>
      call.replace('$month_before', days(MONTH)).replace('$month', days(0)),
    );
  } catch {
    return calls.filter((call) => !isDated(call));
  }
}

/**
 * Returns the expected language of the page: the language last shown, or else the browser's
 * preference.
 */
function languageOf({ cookies, headers }: FastifyRequest): Language {
  const shownLanguage = cookies[SHOWN_LANGUAGE];
  return isLanguage(shownLanguage)
    ? shownLanguage
    : (parseAcceptLanguage(headers['accept-language']) ?? 'eng');
}

function pageWith(html: string, preload: Preload | undefined, language: Language): Page {
  const links = [
    ...(preload?.styles ?? []).map((file) => link('preload', file, ' as="style"')),
    ...(preload?.texts[language] ?? []).map((file) => link('modulepreload', file)),
    ...(preload?.scripts ?? []).map((file) => link('modulepreload', file)),
    ...(preload?.wide ?? []).map((file) => link('modulepreload', file, ` media="${WIDE}"`)),
  ];
  const content = Buffer.from(html.replace('</head>', () => `${links.join('')}</head>`));
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
  return { html: content, brotli: brotliCompressSync(content), etag };
}

const link = (rel: string, file: string, extra = '') =>
  `<link rel="${rel}"${extra} crossorigin href="/${escapeHtml(file)}">`;

/**
 * Sends the page, which is revalidated on each request because it names the files of the running
 * version.
 */
function sendPage({ html, brotli, etag }: Page, request: FastifyRequest, reply: FastifyReply) {
  reply.headers({
    'cache-control': 'no-cache',
    etag,
    vary: 'Accept-Encoding, Accept-Language, Cookie',
  });
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  reply.type('text/html; charset=utf-8');
  if (!acceptsBrotli(request)) return reply.send(html);
  return reply.header('content-encoding', 'br').send(brotli);
}

const acceptsBrotli = ({ headers }: FastifyRequest) =>
  /\bbr\b/.test(headers['accept-encoding'] ?? '');

/**
 * Builds preload links for the first few of this server's pictures that responses name. They load
 * after the scripts. The first has priority over the screen's other requests, because it is often
 * the largest element.
 */
function pictureLinks(responses: readonly string[]): string {
  const imageUrls = responses.flatMap((response) => response.match(IMAGE) ?? []);
  return [...new Set(imageUrls)]
    .slice(0, MAX_PICTURES)
    .map((quoted, i) => {
      const priority = i === 0 ? ' fetchpriority="high"' : '';
      return `<link rel="preload" as="image"${priority} href=${quoted}>`;
    })
    .join('');
}

/**
 * Sends a page with one user's data, which must not be cached. Everything except the embedded
 * responses is sent immediately, so that the browser fetches the scripts while the calls run.
 */
function sendPrivate(
  { html }: Page,
  { session, responses }: { session: string; responses: Promise<Record<string, string>> },
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const [start = '', ...rest] = html.toString().split('</body>');
  const finish = (responsesByPath: Record<string, string>) =>
    `${pictureLinks(Object.values(responsesByPath))}${island({ [SESSION_CALL]: session, ...responsesByPath })}${['', ...rest].join('</body>')}`;
  reply.header('cache-control', 'no-store').type('text/html; charset=utf-8');
  if (!acceptsBrotli(request)) {
    const plainStream = new PassThrough();
    plainStream.write(start);
    void responses.then((responsesByPath) => plainStream.end(finish(responsesByPath)));
    return reply.send(plainStream);
  }
  const compressedStream = createBrotliCompress(FAST_BROTLI);
  compressedStream.write(start);
  compressedStream.flush();
  void responses.then((responsesByPath) => compressedStream.end(finish(responsesByPath)));
  return reply.header('content-encoding', 'br').send(compressedStream);
}

function island(responses: Record<string, string>): string {
  const json = JSON.stringify(responses).replaceAll('<', '\\u003c');
  return `<script type="application/json" id="early-answers">${json}</script>`;
}
