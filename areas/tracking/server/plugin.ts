// The public endpoints of tracking: the pixel, redirects and the unsubscribe page. The pixel, and
// links with a cached target without merge tags, are answered before they reach the framework.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { clock } from '#platform/server/clock.ts';
import type { Config } from '#platform/server/config.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { ResponseBatch } from './response-batch.ts';
import { clientAddress } from './client-address.ts';
import { linkTarget } from './events.ts';
import { guardHosts } from './hosts.ts';
import { createHitBuffer, type HitBuffer } from './hit-buffer.ts';
import type { RawHit } from './hit-page.ts';
import { createLinkCache, type LinkCache } from './links.ts';
import { recordAllHits } from './recorder.ts';
import {
  getInstallationTokens,
  TOKEN_LENGTH,
  type TokenPayload,
  type TrackingTokens,
} from './token.ts';
import { addUnsubscribePage, sendFailed, sendUnknown } from './unsubscribe-page.ts';
import type { Manner } from './verdict.ts';

/** A transparent image of one pixel. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const PIXEL_TEXT = PIXEL.toString('latin1');
const PIXEL_HEADERS = {
  'content-type': 'image/gif',
  'content-length': String(PIXEL.length),
  'cache-control': 'no-store, no-cache, must-revalidate, private',
};
const OPEN_PATH = '/t/o/';
const CLICK = '/t/c/';
const MAX_POSITION = 99_999;
const MAX_AGENT_LENGTH = 400;

/** Buffers of this process, for `settleTracking`. */
const buffers = new Set<HitBuffer>();

type Tracking = {
  responses: ResponseBatch;
  buffer: HitBuffer;
  links: LinkCache;
  tokens: TrackingTokens;
  readAddress: (request: IncomingMessage) => string;
};

export function trackingPlugin(config: Config): FastifyPluginAsync {
  return async (app) => {
    const tokens = getInstallationTokens();
    const tracking: Tracking = {
      tokens,
      responses: new ResponseBatch(),
      buffer: createHitBuffer(app.db, tokens),
      links: createLinkCache(app.db),
      readAddress: clientAddress(config.trustProxy),
    };
    buffers.add(tracking.buffer);
    currentTracking = tracking;
    app.earlyHandlers.push(dropSentenceEnd);
    app.earlyHandlers.push((request, response) => respondFirst(tracking, request, response));
    app.earlyHandlers.push(guardHosts(config.publicUrl));
    app.get<{ Params: { '*': string } }>('/t/o/*', async (request, reply) => {
      countOpen(tracking, request.raw);
      return reply.headers(PIXEL_HEADERS).send(PIXEL);
    });
    app.get<ClickRequest>('/t/c/:token/:position', (request, reply) =>
      respondToClick(app, tracking, request, reply),
    );
    addUnsubscribePage(app, tokens);
    for (const prefix of ['/u/', CLICK]) {
      app.publicPages.push({
        pathPrefix: prefix,
        sendNotFound: sendUnknown,
        sendError: sendFailed,
      });
    }
    app.addHook('preClose', async () => tracking.responses.close());
    // Runs after the last response and before the database closes, so that no answered hit is lost.
    app.addHook('onClose', async () => {
      await tracking.buffer.drain();
      buffers.delete(tracking.buffer);
    });
  };
}

/** Tracking of this process, for the area `sms`, which serves the links in SMS. */
let currentTracking: Tracking | undefined;

/**
 * `single` is the ID of the single send, which identifies recipients without a subscriber; 0 for a
 * message with an audience.
 */
type ShortLink = {
  account: number;
  message: number;
  position: number;
  subscriber: number;
  single: number;
};

/** Returns the target of a link in an SMS; undefined if there is no such link. */
export async function findShortLinkTarget(db: Db, link: ShortLink): Promise<string | undefined> {
  const { account, message, position, subscriber, single: ordinal } = link;
  const target = await currentTracking?.links.load(account, message, position);
  if (!target?.hasTags) return target?.url;
  return personalTarget(db, { account, message, subscriber, ordinal }, target.url);
}

/** Counts a click in an SMS. */
export function countShortClick({ raw }: FastifyRequest, link: ShortLink): void {
  if (!currentTracking) return;
  const { account, message, position, subscriber, single: ordinal } = link;
  const token = currentTracking.tokens.make({ account, message, subscriber, ordinal });
  currentTracking.buffer.push({
    ...hitOf(currentTracking, raw, 'click', token, position),
    isSms: true,
  });
}

/** Waits until all received hits are committed. */
export async function drainBuffers(): Promise<void> {
  for (const buffer of buffers) await buffer.drain();
}

/**
 * Waits until all received hits are recorded, without waiting for the end of bursts. For tests and
 * tools.
 */
export async function settleTracking(db: Db): Promise<void> {
  await drainBuffers();
  await recordAllHits(db);
}

/**
 * A tracking link with punctuation of the surrounding sentence, which programs that detect links in
 * plain text may include in the URL.
 */
const WITH_SENTENCE_END =
  /^(\/(?:[uv]\/[\w-]{40}(?:\/preferences|\/resubscribe)?|t\/c\/[\w-]{40}\/\d{1,5}|s\/(?:[\w-]{24}|[\w-]{20})))(?:[^\w/?#%&=-]|_|%(?:[2357][\da-f]|[c-f][\da-f]%[\da-f]{2}(?:%[\da-f]{2})?)){1,20}\/?(\?|$)/i;

/**
 * Removes trailing punctuation from the URL of the request. Returns false because it sends no
 * response.
 */
function dropSentenceEnd(request: IncomingMessage): boolean {
  const { url = '' } = request;
  const firstCode = url.charCodeAt(1);
  // All tracking paths begin with s, t, u or v.
  if (firstCode < 115 || firstCode > 118 || !WITH_SENTENCE_END.test(url)) return false;
  request.url = url.replace(WITH_SENTENCE_END, '$1$2');
  return false;
}

/**
 * Answers opens and simple clicks before they reach the framework; returns whether it answered.
 * This is the hottest path of the product, so it avoids allocations.
 */
function respondFirst(
  tracking: Tracking,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const { url = '', method } = request;
  if (!url.startsWith('/t/') || (method !== 'GET' && method !== 'HEAD')) return false;
  if (url.startsWith(OPEN_PATH)) {
    countOpen(tracking, request);
    const body = method === 'HEAD' ? undefined : PIXEL_TEXT;
    tracking.responses.add(response, 200, PIXEL_HEADERS, body);
    return true;
  }
  if (!url.startsWith(CLICK)) return false;
  const slash = CLICK.length + TOKEN_LENGTH;
  const position = url.charCodeAt(slash) === 47 ? positionOf(url.slice(slash + 1)) : undefined;
  const token = url.slice(CLICK.length, slash);
  const payload = position === undefined ? undefined : tracking.tokens.read(token);
  if (!payload || position === undefined) return false;
  const target = tracking.links.peek(payload.account, payload.message, position);
  if (!target || target.hasTags) return false;
  countClick(tracking, request, token, position);
  tracking.responses.add(response, 302, redirectHeaders(target.url));
  return true;
}

function positionOf(text: string): number | undefined {
  const [digits = ''] = text.split('?', 1);
  return /^\d{1,5}$/.test(digits) && Number(digits) <= MAX_POSITION ? Number(digits) : undefined;
}

const redirectHeaders = (url: string) => ({
  location: url,
  'cache-control': 'no-store, private',
  'content-length': '0',
  'referrer-policy': 'no-referrer-when-downgrade',
});

type ClickRequest = { Params: { token: string; position: string } };

async function respondToClick(
  app: FastifyInstance,
  tracking: Tracking,
  request: FastifyRequest<ClickRequest>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { token } = request.params;
  const position = positionOf(request.params.position);
  const payload = tracking.tokens.read(token);
  if (!payload || position === undefined) return sendUnknown(request, reply);
  const target = await tracking.links.load(payload.account, payload.message, position);
  const url = target?.hasTags ? await personalTarget(app.db, payload, target.url) : target?.url;
  if (!url) return sendUnknown(request, reply);
  countClick(tracking, request.raw, token, position);
  return reply.status(302).headers(redirectHeaders(url)).send();
}

async function personalTarget(
  db: Db,
  payload: TokenPayload,
  url: string,
): Promise<string | undefined> {
  const [answer] = await inTransaction(db, (tx) => linkTarget.collect(tx, { payload, url }));
  return answer && /^https?:\/\//i.test(answer) ? answer : undefined;
}

function countOpen(tracking: Tracking, request: IncomingMessage): void {
  const url = request.url as string;
  const token = url.slice(OPEN_PATH.length, OPEN_PATH.length + TOKEN_LENGTH);
  tracking.buffer.push(hitOf(tracking, request, 'open', token, null));
}

function countClick(
  tracking: Tracking,
  request: IncomingMessage,
  token: string,
  position: number,
): void {
  tracking.buffer.push(hitOf(tracking, request, 'click', token, position));
}

function hitOf(
  tracking: Tracking,
  request: IncomingMessage,
  kind: RawHit['kind'],
  token: string,
  position: number | null,
): RawHit {
  const agent = request.headers['user-agent'] ?? '';
  return {
    token,
    at: clock.now(),
    kind,
    position,
    manner: mannerOf(request),
    ip: tracking.readAddress(request),
    userAgent: agent.length > MAX_AGENT_LENGTH ? agent.slice(0, MAX_AGENT_LENGTH) : agent,
  };
}

/** Headers that current and older browsers (Firefox, Safari) use to mark prefetch requests. */
const PURPOSES = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];

function mannerOf(request: IncomingMessage): Manner | null {
  if (request.method === 'HEAD') return 'head';
  const isEarly = PURPOSES.some((name) => /prefetch|preview/i.test(String(request.headers[name])));
  return isEarly ? 'prefetch' : null;
}
