// The user guide at /guide: the pages that main/guide-build.ts wrote, without sign-in. Hashed files
// are cached for a year.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import staticFiles from '@fastify/static';
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { setPagePolicy } from '#platform/server/http/page-policy.ts';
import { sendPublicPage } from '#platform/server/http/public-page.ts';
import { log } from '#platform/server/log.ts';

/**
 * `isStale` is called once per process, unless a build fails; `build` runs in the background, while
 * visitors see a waiting page.
 */
export type GuideBuild = { isStale(): boolean; build(): Promise<void> };

const PAGE = /^[\w-]+(?:\/[\w-]+)*$/;
const FILE = /^[\w@.-]+(?:\/[\w@.-]+)*\.\w+$/;
const YEAR = { immutable: true, maxAge: '1y' };
const RETRY_SECONDS = 5;

export function guidePlugin(folder: string, build: GuideBuild): FastifyPluginAsync {
  return async (app) => {
    await app.register(staticFiles, { root: folder, serve: false, preCompressed: true });
    const refresh = buildOnDemand(build);
    app.get('/guide', async (request, reply) => {
      // The router ignores the slash, but the links of the page depend on it.
      const [path, query] = request.url.split('?', 2);
      if (path === '/guide') return reply.redirect(query ? `/guide/?${query}` : '/guide/', 301);
      refresh();
      return sendPage(folder, 'index', reply);
    });
    app.get<{ Params: { '*': string } }>('/guide/*', async (request, reply) => {
      const path = request.params['*'].replace(/\/$/, '');
      if (FILE.test(path) && existsSync(join(folder, path)) && !path.endsWith('.html'))
        return reply.sendFile(path, path.startsWith('assets/') ? YEAR : {});
      refresh();
      return sendPage(folder, path.replace(/\.html$/, ''), reply);
    });
  };
}

function sendPage(folder: string, page: string, reply: FastifyReply): FastifyReply {
  if (!existsSync(join(folder, 'index.html'))) return sendWaiting(reply);
  const isKnown = PAGE.test(page) && existsSync(join(folder, `${page}.html`));
  setPagePolicy(reply, {
    scripts: ["'self'"],
    // The code samples have inline colors.
    styles: ["'self'", "'unsafe-inline'"],
    images: ["'self'", 'data:'],
    fonts: ["'self'"],
    connectTargets: ["'self'"],
    framing: 'self',
  });
  if (!isKnown) reply.status(404);
  return reply.sendFile(`${isKnown ? page : '404'}.html`);
}

function sendWaiting(reply: FastifyReply): FastifyReply {
  reply.header('refresh', String(RETRY_SECONDS)).header('retry-after', String(RETRY_SECONDS));
  const text = ['It opens by itself in a few seconds. If it does not, run “npm run build”.'];
  return sendPublicPage(reply, { language: 'eng', heading: 'The guide is being built', text }, 503);
}

/** Builds once per process; after a failure, the next request tries again. */
function buildOnDemand({ isStale, build }: GuideBuild): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    if (!isStale()) return;
    build().catch((error: unknown) => {
      isDone = false;
      log.error('Could not build the guide', { error });
    });
  };
}
