// The page of the web client, with preload links for each path's screen, so that browsers fetch the
// resources in parallel with the shell instead of after it.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  isLanguage,
  type Language,
  languageOfHeader,
  SHOWN_LANGUAGE,
} from '#platform/languages.ts';
import { earlyAnswers } from './early-answers.ts';
import { escapeHtml } from './public-page.ts';

/**
 * Resources of one screen: files named as in the build's folder, paths as the routes define them:
 * `/groups/$group`.
 */
export type Preload = {
  path: string;
  scripts: string[];
  styles: string[];
  texts: Partial<Record<Language, string[]>>;
  /**
   * The screen's first calls, with the path's parameters for ids: `/client-api/api/groups/$group`.
   */
  calls?: string[];
};

/** Every screen behind the sign-in requests the session's user. */
const SESSION_CALL = '/client-api/api/users';
const compress = promisify(brotliCompress);
const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** With quotes, as in JSON: `"/i/art/hills.png"`. */
const PICTURE = /"\/i\/[\w./-]+\.(?:png|jpe?g|gif|webp)"/g;
const MAX_PICTURES = 4;

type Page = { html: Buffer; brotli: Buffer; tag: string };

/** @param folder of the built client */
export function clientPage(folder: string) {
  let send: ReturnType<typeof read> | undefined;
  let builtAt: number | undefined;
  return (request: FastifyRequest, reply: FastifyReply) => {
    // Read with the first page, so that calls work without a built client; reread after each build,
    // whose files have other names.
    const at = statSync(join(folder, 'index.html'), { throwIfNoEntry: false })?.mtimeMs;
    if (!send || (at !== undefined && at !== builtAt)) send = read(folder);
    builtAt = at ?? builtAt;
    return send(request, reply);
  };
}

function read(folder: string) {
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
    const ids = matches?.exec(path)?.slice(1) ?? [];
    const calls = preload?.calls?.flatMap((call) => withIds(call, preload.path, ids)) ?? [];
    const answers = await earlyAnswers(request, [SESSION_CALL, ...calls]);
    if (Object.keys(answers).length === 0) return sendPage(page, request, reply);
    return sendPrivate(page, answers, request, reply);
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
 * `/groups/$group/members` of the screen `/groups/$group` for `k3`: `/groups/k3/members`. Empty for
 * invalid ids: otherwise the author of a link could choose requests made on its reader's behalf.
 */
function withIds(call: string, path: string, ids: readonly string[]): string[] {
  if (!ids.every((id) => /^\w+$/.test(id))) return [];
  const names = path.split('/').filter((part) => part.startsWith('$'));
  return [names.reduce((filled, name, i) => filled.replaceAll(name, ids[i] ?? ''), call)];
}

/** The expected language of the page: the one last shown, otherwise the browser's preference. */
function languageOf({ cookies, headers }: FastifyRequest): Language {
  const shown = cookies[SHOWN_LANGUAGE];
  return isLanguage(shown) ? shown : (languageOfHeader(headers['accept-language']) ?? 'eng');
}

function pageWith(html: string, preload: Preload | undefined, language: Language): Page {
  const links = [
    ...(preload?.styles ?? []).map((file) => link('preload', file, ' as="style"')),
    ...(preload?.texts[language] ?? []).map((file) => link('modulepreload', file)),
    ...(preload?.scripts ?? []).map((file) => link('modulepreload', file)),
  ];
  const whole = Buffer.from(html.replace('</head>', () => `${links.join('')}</head>`));
  const tag = `"${createHash('sha256').update(whole).digest('base64url').slice(0, 22)}"`;
  return { html: whole, brotli: brotliCompressSync(whole), tag };
}

const link = (rel: string, file: string, more = '') =>
  `<link rel="${rel}"${more} crossorigin href="/${escapeHtml(file)}">`;

/** Revalidated on each request: it names the files of the running version. */
function sendPage({ html, brotli, tag }: Page, request: FastifyRequest, reply: FastifyReply) {
  reply.headers({
    'cache-control': 'no-cache',
    etag: tag,
    vary: 'Accept-Encoding, Accept-Language, Cookie',
  });
  if (request.headers['if-none-match'] === tag) return reply.code(304).send();
  reply.type('text/html; charset=utf-8');
  if (!acceptsBrotli(request)) return reply.send(html);
  return reply.header('content-encoding', 'br').send(brotli);
}

const acceptsBrotli = ({ headers }: FastifyRequest) =>
  /\bbr\b/.test(headers['accept-encoding'] ?? '');

/** The first few pictures of this server named in responses. They load after the scripts. */
function pictureLinks(answers: readonly string[]): string[] {
  const named = answers.flatMap((answer) => answer.match(PICTURE) ?? []);
  return [...new Set(named)]
    .slice(0, MAX_PICTURES)
    .map((quoted) => `<link rel="preload" as="image" href=${quoted}>`);
}

/** Contains one user's data, so it must not be cached. */
async function sendPrivate(
  { html }: Page,
  answers: Record<string, string>,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const json = JSON.stringify(answers).replaceAll('<', '\\u003c');
  const island = `<script type="application/json" id="early-answers">${json}</script>`;
  const whole = html
    .toString()
    .replace('</head>', () => `${pictureLinks(Object.values(answers)).join('')}</head>`)
    .replace('</body>', () => `${island}</body>`);
  reply.header('cache-control', 'no-store').type('text/html; charset=utf-8');
  if (!acceptsBrotli(request)) return reply.send(whole);
  return reply.header('content-encoding', 'br').send(await compress(whole, FAST));
}
