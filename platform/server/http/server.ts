// The HTTP server: routes, default headers, request ids, health, metrics, API pages and the built
// client.
import { randomUUID } from 'node:crypto';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import path from 'node:path';
import { setImmediate as turnEnd } from 'node:timers/promises';
import cookie from '@fastify/cookie';
import multipart from '@fastify/multipart';
import staticFiles from '@fastify/static';
import fastify, {
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import helmet from 'helmet';
import { cleanValue, wellFormedJson } from '../clean-text.ts';
import type { Config } from '../config.ts';
import type { Db } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { log, withLogFields } from '../log.ts';
import { renderMetrics, observeRequest } from '../metrics.ts';
import { isTracing, type RequestSpan, startRequestSpan } from '../tracing/tracing.ts';
import { checkReadiness } from '../monitoring/status-server.ts';
import { thirdPartyOrigins } from './third-parties.ts';
import { clientPage } from './client-page.ts';
import { trackResponses } from './closing.ts';
import { addDocumentation } from './documentation.ts';
import { addErrorResponses, findPublicPage, sendError } from './errors.ts';
import { allowInnerCalls } from './inner-call.ts';
import { checkJsonBounds } from './json-bounds.ts';
import { respondToBrokenRequest, MAX_HEADERS } from './broken-requests.ts';
import type { Tag } from './openapi.ts';
import { checkQueryBounds } from './query-bounds.ts';
import { type Authenticate, addRoutes, type Route } from './serve.ts';
import { isFromThisMachine } from './this-machine.ts';
import { bareContentType } from './v2.ts';

export type ServerOptions = {
  config: Config;
  db: Db;
  routes: readonly Route[];
  /** Descriptions of the areas, for the API documents. */
  tags?: readonly Tag[];
  authenticate: Authenticate;
  /** Public pages and other surfaces that are not JSON calls. */
  plugins?: FastifyPluginAsync[];
  /** The folder of the built client; undefined in API tests. */
  clientFolder?: string;
  /** Additional check of /ready besides the database check. */
  checkReady?: () => Promise<void>;
};

/** Handles a request before the framework and returns true, or leaves it to the framework. */
export type EarlyHandler = (request: IncomingMessage, response: ServerResponse) => boolean;

type PublicPages = {
  /** Prefix of the path: `/u/`. */
  pathPrefix: string;
  sendNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply;
  /** `status`: 500 or more; the failure may be temporary. */
  sendError(request: FastifyRequest, reply: FastifyReply, status: number): FastifyReply;
};

declare module 'fastify' {
  interface FastifyRequest {
    span: RequestSpan | undefined;
  }
  interface FastifyInstance {
    db: Db;
    publicUrl: string;
    /** True if visitors use https, according to `PUBLIC_URL`. */
    isHttps: boolean;
    /**
     * Handlers of the hottest paths only, such as the tracking pixel; plugins register them at
     * startup.
     */
    earlyHandlers: EarlyHandler[];
    /**
     * Paths of links in emails; their errors are shown as a page instead of JSON. Plugins add to
     * them.
     */
    publicPages: PublicPages[];
  }
}

const KEEP_ALIVE_MS = 72_000;

export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const { config, db } = options;
  const earlyHandlers: EarlyHandler[] = [];
  const responseTracker = trackResponses();
  const app = fastify({
    logger: false,
    serverFactory: (handle) =>
      Object.assign(
        createHttpServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
          responseTracker.add(response);
          if (!earlyHandlers.some((handler) => handler(request, response)))
            handle(request, response);
        }),
        { maxHeadersCount: MAX_HEADERS },
      ),
    clientErrorHandler: respondToBrokenRequest,
    trustProxy: trustProxy(config.trustProxy),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 },
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    bodyLimit: 1_048_576,
    forceCloseConnections: 'idle',
    // Requests started before the stop are completed, even if their last byte arrives after it.
    return503OnClosing: false,
    // An undecodable path skips all hooks and would return the framework's own message.
    frameworkErrors: (_, request, reply) => {
      addDefaultHeaders(request, reply);
      const page = findPublicPage(app, request);
      if (page) page.sendNotFound(request, reply);
      else sendError(new AppError('not_found'), request, reply);
    },
  });
  addDecorations(app, options, earlyHandlers);
  app.addHook('preClose', async () => {
    responseTracker.close(app.server);
    // In these turns of the event loop, the server accepts the connections that wait in the
    // kernel's queue. Once the server stops listening, the kernel resets the connections that are
    // still in the queue, and their requests are lost.
    for (let turn = 0; turn < 2; turn++) await turnEnd();
  });
  await app.register(cookie);
  await app.register(multipart, { limits: { files: 1, fields: 50 } });
  addSecurityHeaders(app, config);
  acceptEmptyJson(app);
  addDefaults(app, config.trustProxy !== undefined);
  addErrorResponses(app);
  addHealth(app, options);
  const serving = { db, authenticate: options.authenticate, validatesResponses: config.isTest };
  await app.register(async (scope) => addRoutes(scope, options.routes, serving));
  allowInnerCalls(app, options.routes, serving);
  await addDocumentation(app, options.routes, options.tags ?? [], config.publicUrl);
  for (const plugin of options.plugins ?? []) await app.register(plugin);
  addSignInService(app, config);
  await addClient(app, options.clientFolder);
  return app;
}

function addDecorations(
  app: FastifyInstance,
  { config, db, routes }: ServerOptions,
  earlyHandlers: EarlyHandler[],
): void {
  app.decorateRequest('caller', undefined);
  app.decorateRequest('span', undefined);
  app.decorate('db', db);
  app.decorate('publicUrl', config.publicUrl);
  app.decorate('isHttps', config.publicUrl.startsWith('https:'));
  app.decorate('earlyHandlers', earlyHandlers);
  app.decorate('calls', new Map(routes.map(({ call }) => [`${call.method} ${call.path}`, call])));
}

/** Converts the setting: a number is the number of proxies in front of this server. */
function trustProxy(value: Config['trustProxy']) {
  return typeof value === 'number' ? (_: string, hop: number) => hop < value : (value ?? false);
}

/**
 * Adds headers prepared once; the framework's plugin would validate the policy again for each
 * request.
 */
function addSecurityHeaders(app: FastifyInstance, config: Config): void {
  const setHeaders = helmet(helmetOptions(config));
  app.addHook('onRequest', (request, reply, done) => {
    setHeaders(request.raw, reply.raw, (error) => done(error as Error | undefined));
  });
}

function helmetOptions(config: Config) {
  const isHttps = config.publicUrl.startsWith('https:');
  const scriptOrigins = thirdPartyOrigins(config.thirdParties);
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'", ...scriptOrigins],
        // The UI kit sets sizes and positions as inline styles.
        styleSrc: ["'self'", "'unsafe-inline'", 'https:'],
        // Previews show the images of an email in a sandboxed frame.
        imgSrc: ["'self'", 'data:', 'blob:', 'https:', 'http:'],
        fontSrc: ["'self'", 'data:', 'https:'],
        connectSrc: ["'self'", ...scriptOrigins],
        frameSrc: ["'self'", 'blob:', ...scriptOrigins],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'self'"],
      },
    },
    strictTransportSecurity: isHttps ? { maxAge: 31_536_000, includeSubDomains: false } : false,
    referrerPolicy: { policy: 'same-origin' as const },
    crossOriginEmbedderPolicy: false,
    crossOriginResourcePolicy: false as const,
  };
}

/**
 * Treats an empty body with a JSON content type as no body (the client sends the header on every
 * call).
 */
function acceptEmptyJson(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else {
      try {
        checkJsonBounds(body as string);
      } catch (error) {
        done(error as Error);
        return;
      }
      void parseJson(request, wellFormedJson(body as string), done);
    }
  });
}

function addDefaults(app: FastifyInstance, isBehindProxy: boolean): void {
  app.addHook('onRequest', async (request, reply) => {
    addDefaultHeaders(request, reply);
    checkQueryBounds(request.url);
    // Calls are cleaned after contract validation (serve.ts).
    if (request.routeOptions.config && 'route' in request.routeOptions.config) return;
    request.params = cleanValue(request.params);
    request.query = cleanValue(request.query);
  });
  // Runs after the body is read, because body events run outside the context of earlier hooks.
  app.addHook('preHandler', (request, reply, done) => {
    const work = () => withLogFields({ request: request.id }, done);
    request.span = spanOf(request, reply, isBehindProxy);
    if (request.span) request.span.run(work);
    else work();
  });
  app.addHook('onSend', async (request, reply) => bareContentType(request, reply));
  app.addHook('onResponse', async (request, reply) => {
    request.span?.end(reply.statusCode);
    const url = request.routeOptions?.url ?? 'unknown';
    observeRequest(request.method, url, reply.statusCode, reply.elapsedTime);
    log.debug('Request completed', {
      request: request.id,
      method: request.method,
      url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    });
  });
}

/** Continues a trusted proxy's trace context, but not one from a visitor. */
function spanOf(
  request: FastifyRequest,
  reply: FastifyReply,
  isBehindProxy: boolean,
): RequestSpan | undefined {
  if (!isTracing()) return undefined;
  const route = request.routeOptions?.url ?? 'unknown';
  const { traceparent } = request.headers;
  return startRequestSpan(`${request.method} ${route}`, reply.elapsedTime, {
    attributes: {
      'http.request.method': request.method,
      'http.route': route,
      'sendloom.request': request.id,
    },
    parent: isBehindProxy && typeof traceparent === 'string' ? traceparent : undefined,
  });
}

function addDefaultHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  if (/^\/(client-api\/|auth\/api\/|v2\/|mcp(?:\?|$))/.test(request.url))
    reply.header('cache-control', 'no-cache, no-store');
}

/**
 * Endpoints for monitors. Metrics are here only if no separate port is configured for them, and
 * only for requests from this machine.
 */
function addHealth(app: FastifyInstance, { config, db, checkReady }: ServerOptions): void {
  app.get('/health', async () => ({ status: 'ok' }));
  app.get('/ready', async (_, reply) => {
    const health = await checkReadiness(db, checkReady);
    return reply.status(health.status === 'ready' ? 200 : 503).send(health);
  });
  if (config.metrics) return;
  app.get('/metrics', async (request, reply) => {
    if (!isFromThisMachine(request)) return reply.callNotFound();
    const { text, contentType } = await renderMetrics();
    return reply.type(contentType).send(text);
  });
}

/** Redirects the sign-in pages to the external sign-in service, if there is one. */
function addSignInService(app: FastifyInstance, { authUrl }: Config): void {
  if (!authUrl) return;
  for (const path of ['/auth', '/auth/sign-up', '/auth/forgot-password']) {
    app.get<{ Querystring: { next?: string } }>(path, async (request, reply) => {
      const target = new URL(authUrl);
      const next = request.query.next ?? '';
      if (/^\/(?!\/)/.test(next)) target.searchParams.set('next', next);
      return reply.redirect(target.href, 302);
    });
  }
}

/**
 * Serves the single-page client; hashed files are cached for a year. A path that is neither a call
 * nor a public page returns the client's page to browsers.
 */
async function addClient(app: FastifyInstance, folder: string | undefined): Promise<void> {
  if (folder) {
    await app.register(async (scope) => {
      scope.addHook('onSend', async (request, reply) => removePageHeaders(request, reply));
      await scope.register(staticFiles, {
        root: path.join(folder, 'assets'),
        prefix: '/assets/',
        immutable: true,
        maxAge: '1y',
        preCompressed: true,
      });
    });
    await app.register(staticFiles, {
      root: folder,
      prefix: '/',
      decorateReply: false,
      wildcard: false,
      index: false,
      preCompressed: true,
      globIgnore: ['assets/**', 'index.html*'],
    });
  }
  const client = folder === undefined ? undefined : clientPage(folder);
  app.setNotFoundHandler((request, reply): unknown => {
    const page = findPublicPage(app, request);
    if (page) return page.sendNotFound(request, reply);
    if (client && expectsPage(request)) return client(request, reply);
    return sendError(new AppError('not_found'), request, reply);
  });
}

/** Headers that only affect documents: almost a kilobyte that each asset would otherwise repeat. */
const PAGE_HEADERS = [
  'content-security-policy',
  'cross-origin-opener-policy',
  'origin-agent-cluster',
  'referrer-policy',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-xss-protection',
];

function removePageHeaders({ url }: FastifyRequest, reply: FastifyReply): void {
  if (!/\.(?:js|css|woff2)(?:\?|$)/.test(url)) return;
  for (const name of PAGE_HEADERS) reply.removeHeader(name);
}

const CALLS =
  /^\/(?:client-api|auth\/api|api|v2|mcp|t|assets|hooks|metrics|\.well-known)(?:[/?]|$)/;

/**
 * Returns true for a GET or HEAD request outside the paths of calls, if it is from a browser. Also
 * true for clients that accept anything, such as monitors and link checkers, unless the path has
 * the form of a file.
 */
function expectsPage({ method, url, headers }: FastifyRequest): boolean {
  if ((method !== 'GET' && method !== 'HEAD') || CALLS.test(url)) return false;
  const { accept = '*/*' } = headers;
  const [pathname = ''] = url.split('?', 1);
  const isFile = pathname.slice(pathname.lastIndexOf('/')).includes('.');
  return accept.includes('text/html') || (accept === '*/*' && !isFile);
}
