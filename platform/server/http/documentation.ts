// The API descriptions and their pages. Each is built on its first request: building takes most of
// a second, and neither the startup nor other requests should wait for it.
import { setImmediate as turnEnd } from 'node:timers/promises';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { openApiSteps, publicApiSteps } from './openapi.ts';
import type { Route } from './serve.ts';
import { isPublicApi } from './v2.ts';

type Document = Record<string, unknown>;

export async function addDocumentation(
  app: FastifyInstance,
  routes: readonly Route[],
  publicUrl: string,
): Promise<void> {
  const clientRoutes = routes.filter(({ call }) => !isPublicApi(call.path));
  await addDescription(app, '/docs', '/docs/openapi.json', () =>
    openApiSteps(clientRoutes, publicUrl),
  );
  const open = () => publicApiSteps(routes, publicUrl);
  await addDescription(app, '/docs/v2', '/docs/v2.json', open);
}

/**
 * The API document and a page to view it and try calls. Each pair has its own scope: two in one
 * scope would share one document.
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
 * Runs the steps in separate turns of the event loop, so that other requests are answered in
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
    uiConfig: {
      docExpansion: 'list',
      deepLinking: true,
      // The server accepts writes of a session only with the header of the product's own pages.
      requestInterceptor: (request) => {
        (request as unknown as { headers: Record<string, string> }).headers['X-Sendloom'] = '1';
        return request;
      },
    },
  });
}
