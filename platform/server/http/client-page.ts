// The page of the web client, for each path with links to what its screen is made of: browsers fetch that beside the
// shell instead of after it.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  isLanguage,
  type Language,
  languageOfHeader,
  SHOWN_LANGUAGE,
} from '#platform/languages.ts';
import { escapeHtml } from './public-page.ts';

/** Of one screen; files as the build's folder has them, paths as its routes write them: `/groups/$group`. */
export type Preload = {
  path: string;
  scripts: string[];
  styles: string[];
  texts: Partial<Record<Language, string[]>>;
};

type Page = { html: Buffer; brotli: Buffer; tag: string };

/** @param folder of the built client */
export function clientPage(folder: string) {
  let send: ReturnType<typeof read> | undefined;
  let builtAt: number | undefined;
  return (request: FastifyRequest, reply: FastifyReply) => {
    // With the first page, so that calls are answered where no client was built; again after each build, whose
    // files have other names.
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
  return (request: FastifyRequest, reply: FastifyReply) => {
    const [path = '/'] = request.url.split('?', 1);
    const preload = screens.find(({ matches }) => matches.test(path))?.preload;
    const language = languageOf(request);
    const name = `${preload?.path} ${language}`;
    const page = pages.get(name) ?? pageWith(html, preload, language);
    pages.set(name, page);
    return sendPage(page, request, reply);
  };
}

const paramsIn = (path: string) => path.split('$').length;

function pathPattern(path: string): RegExp {
  const parts = path
    .split('/')
    .map((part) => (part.startsWith('$') ? '[^/]+' : RegExp.escape(part)));
  return new RegExp(`^${parts.join('/')}/?$`);
}

/** What the page will speak, as far as its browser tells: what it showed last, else what the browser prefers. */
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

/** Asked for anew each time: it names the files of the version that runs. */
function sendPage({ html, brotli, tag }: Page, request: FastifyRequest, reply: FastifyReply) {
  reply.headers({
    'cache-control': 'no-cache',
    etag: tag,
    vary: 'Accept-Encoding, Accept-Language, Cookie',
  });
  if (request.headers['if-none-match'] === tag) return reply.code(304).send();
  reply.type('text/html; charset=utf-8');
  if (!/\bbr\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(html);
  return reply.header('content-encoding', 'br').send(brotli);
}
