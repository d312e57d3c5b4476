// The two API descriptions, each with a page. A description is built when it or its page is first
// requested: building takes most of a second, and neither the startup nor other requests should wait
// for it.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as turnEnd } from 'node:timers/promises';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { buildOpenApiSteps, buildPublicApiSteps, type Tag } from './openapi.ts';
import type { Route } from './serve.ts';
import { isPublicApi } from './v2.ts';

type Document = Record<string, unknown>;

const FAVICON = readFileSync(path.resolve(import.meta.dirname, '../../web/public/favicon.svg'));

export async function addDocumentation(
  app: FastifyInstance,
  routes: readonly Route[],
  tags: readonly Tag[],
  publicUrl: string,
): Promise<void> {
  const clientRoutes = routes.filter(({ call }) => !isPublicApi(call.path));
  await addDescription(app, '/docs', '/docs/openapi.json', () =>
    buildOpenApiSteps(clientRoutes, tags, publicUrl),
  );
  const publicSteps = () => buildPublicApiSteps(routes, tags, publicUrl);
  await addDescription(app, '/docs/v2', '/docs/v2.json', publicSteps);
}

/**
 * Adds an API document, and a page to view it and try its calls. Each page has its own scope,
 * because its plugins can be registered only once per scope.
 */
async function addDescription(
  app: FastifyInstance,
  page: string,
  file: string,
  steps: () => Generator<void, Document>,
): Promise<void> {
  // The page's plugin gets this empty object at registration; the first request fills it.
  const document: Document = {};
  let filling: Promise<void> | undefined;
  const buildOnce = () =>
    (filling ??= inTurns(steps()).then((built) => void Object.assign(document, built)));
  app.get(file, async () => {
    await buildOnce();
    return document;
  });
  await app.register(async (scope) => addPage(scope, page, document, buildOnce));
}

/**
 * Runs the steps in separate turns of the event loop, so that other requests are handled in
 * between.
 */
async function inTurns<T>(steps: Generator<void, T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await turnEnd();
  }
}

async function addPage(
  scope: FastifyInstance,
  routePrefix: string,
  document: Document,
  fill: () => Promise<void>,
): Promise<void> {
  await scope.register(swagger, { mode: 'static', specification: { document: document as never } });
  await scope.register(swaggerUi, {
    routePrefix,
    staticCSP: false,
    uiHooks: { preHandler: async () => fill() },
    theme: {
      title: 'Sendloom API',
      favicon: [
        {
          filename: 'favicon.svg',
          rel: 'icon',
          type: 'image/svg+xml',
          sizes: 'any',
          content: FAVICON,
        },
      ],
    },
    uiConfig: {
      // This layout omits Swagger UI's top bar, which shows its logo and can load other documents.
      layout: 'BaseLayout',
      docExpansion: 'list',
      deepLinking: true,
      // Writes that are authenticated by the session cookie require this header.
      requestInterceptor: (request) => {
        (request as unknown as { headers: Record<string, string> }).headers['X-Sendloom'] = '1';
        return request;
      },
    },
  });
}
