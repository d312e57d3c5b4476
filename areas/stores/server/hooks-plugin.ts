// /hooks/stores/…: what shops tell by themselves. Kept and committed with whatever else came at that moment,
// then answered; taken in after. Who it comes from is proven by its signature alone.
import type { FastifyPluginAsync } from 'fastify';
import { decodePublicId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { AppError } from '#platform/server/errors.ts';
import { newThrottle } from '#platform/server/throttle.ts';
import { sharedRead, writeTogether } from '#platform/server/together.ts';
import { adapterOf } from './adapter.ts';
import { findStore } from './connections.sql.ts';
import { keepWords, type NewWord } from './inbox.sql.ts';
import { hookSecretOf } from './keys.ts';

/** Orders of hundreds of lines are a few hundred kilobytes. */
const BODY_LIMIT = 4 * 1_048_576;
const TOGETHER_MOST = 500;
const WAITING_MOST = 20_000;
const KEPT_MS = 2_000;

const ofStore = newThrottle({ capacity: 20_000, perSecond: 500 });
/** What is not signed costs its network. */
const ofStranger = newThrottle({ capacity: 60, perSecond: 1 });

export const storeHooksPlugin: FastifyPluginAsync = async (app) => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_LIMIT }, (_, body, done) =>
    done(null, body),
  );
  const inbox = writeTogether<NewWord, undefined>(TOGETHER_MOST, async (words) => {
    for (const [accountId, told] of Map.groupBy(words, (word) => word.accountId))
      await keepWords(app.db, accountId, told, clock.now());
    return words.map(() => undefined);
  });
  const read = sharedRead(
    ({ accountId, id }: { accountId: number; id: number }) => findStore(app.db, accountId, id),
    ({ accountId, id }) => `${accountId} ${id}`,
  );
  const kept = new Map<string, { shop: Awaited<ReturnType<typeof read>>; until: number }>();
  const storeOf = async (accountId: number, id: number) => {
    const name = `${accountId} ${id}`;
    const now = performance.now();
    const known = kept.get(name);
    if (known && known.until > now) return known.shop;
    const shop = await read({ accountId, id });
    if (kept.size > 10_000) kept.clear();
    kept.set(name, { shop, until: now + KEPT_MS });
    return shop;
  };
  app.post<{ Params: { id: string } }>('/hooks/stores/:id', async (request, reply) => {
    const named = decodePublicId('store', request.params.id);
    if (!named) throw new AppError('not_found');
    const now = clock.now().getTime();
    if (inbox.waiting() >= WAITING_MOST || !ofStore(request.params.id, now))
      throw new AppError('too_many_requests', { retryAfter: 2 });
    const shop = await storeOf(named.accountId, named.id);
    const adapter = shop && adapterOf(shop.type);
    const secret = shop && hookSecretOf(shop);
    if (!shop || !adapter || !secret || shop.state === 'disconnected')
      throw new AppError('not_found');
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const reading = adapter.readHook({ headers: request.headers, body }, secret);
    if (reading.is === 'refused') {
      if (!ofStranger(request.ip, now)) throw new AppError('too_many_requests', { retryAfter: 60 });
      return reply.status(401).send({ success: false });
    }
    if (reading.is === 'told') {
      const { key, topic, body: told } = reading;
      await inbox.add({ accountId: named.accountId, storeId: named.id, key, topic, body: told });
    }
    return reply.send({ success: true });
  });
};
