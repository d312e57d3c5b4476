// /hooks/stores/…: webhooks of stores. They are authenticated only by their signature, stored in
// batches with concurrent ones, acknowledged after the commit, and processed later.
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { decodePublicId } from '#platform/ids.ts';
import { cleanValue } from '#platform/server/clean-text.ts';
import { clock } from '#platform/server/clock.ts';
import type { Db } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { createThrottle } from '#platform/server/limits/throttle.ts';
import { shareReads, createBatchWriter } from '#platform/server/database/batching.ts';
import { toNetwork } from '#platform/server/limits/visitor-network.ts';
import { getAdapter } from './adapter.ts';
import { findStore } from './connections.sql.ts';
import { insertStoreHooks, type NewStoreHook } from './inbox.sql.ts';
import { readHookSecret } from './keys.ts';

/** Orders with hundreds of lines take a few hundred kilobytes. */
const BODY_LIMIT = 4 * 1_048_576;
const MAX_BATCH = 500;
const MAX_WAITING = 20_000;
const CACHE_MS = 2_000;

/** Limit per store and network, so that forged calls from other networks do not use it up. */
const storeThrottle = createThrottle({ capacity: 20_000, perSecond: 500 });
/**
 * Limit of calls with an invalid signature per store and network; above it, all calls are refused
 * unread for `BLOCK_MS`.
 */
const unsignedThrottle = createThrottle({ capacity: 60, perSecond: 1 });
const BLOCK_MS = 60_000;
const MAX_BLOCKED = 10_000;

export const storeHooksPlugin: FastifyPluginAsync = async (app) => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_LIMIT }, (_, body, done) =>
    done(null, body),
  );
  const inbox = createBatchWriter<NewStoreHook, unknown>(MAX_BATCH, (hooks) =>
    saveHooks(app.db, hooks),
  );
  const storeOf = cachedStores(app.db);
  const receiverOf = async (id: string) => {
    const decodedId = decodePublicId('store', id);
    const shop = decodedId && (await storeOf(decodedId.accountId, decodedId.id));
    const adapter = shop && getAdapter(shop.type);
    const secret = shop && readHookSecret(shop);
    const isDisconnected = shop?.state === 'disconnected';
    if (!decodedId || !adapter || !secret || (isDisconnected && !adapter.privacyTopics))
      throw new AppError('not_found');
    return { named: decodedId, adapter, secret, isDisconnected };
  };
  const blocked = blockedCallers();
  const callerOf = ({ ip, params }: FastifyRequest) => `${toNetwork(ip)} ${idOf(params)}`;
  // All checks that need no body run first, so that a flood is not read.
  app.addHook('onRequest', async (request) => {
    const now = clock.now().getTime();
    const caller = callerOf(request);
    const isThrottled = blocked.has(caller, now);
    if (isThrottled || inbox.countWaiting() >= MAX_WAITING || !storeThrottle(caller, now))
      throw new AppError('too_many_requests', { retryAfterSeconds: isThrottled ? 60 : 2 });
    await receiverOf(idOf(request.params));
  });
  app.post('/hooks/stores/:id', async (request, reply) => {
    const {
      named: storeId,
      adapter,
      secret,
      isDisconnected,
    } = await receiverOf(idOf(request.params));
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const reading = adapter.verifyWebhook({ headers: request.headers, body }, secret);
    if (reading.kind === 'refused') {
      const now = clock.now().getTime();
      const caller = callerOf(request);
      if (!unsignedThrottle(caller, now)) blocked.add(caller, now);
      return reply.status(401).send({ success: false });
    }
    const isPrivacy = reading.kind === 'accepted' && adapter.privacyTopics?.includes(reading.topic);
    if (isDisconnected && !isPrivacy) throw new AppError('not_found');
    if (reading.kind === 'accepted') {
      // Characters that PostgreSQL refuses are removed because one statement stores several
      // webhooks.
      const { key, topic, body: webhookBody } = cleanValue(reading);
      const failure = await inbox.add({
        ...{ accountId: storeId.accountId, storeId: storeId.id, key, topic },
        body: webhookBody,
      });
      if (failure !== undefined) throw failure;
    }
    return reply.send({ success: true });
  });
};

/** Stores, each read at most once per `CACHE_MS`. */
function cachedStores(db: Db) {
  const readStore = shareReads(
    ({ accountId, id }: { accountId: number; id: number }) => findStore(db, accountId, id),
    ({ accountId, id }) => `${accountId} ${id}`,
  );
  const cache = new Map<
    string,
    { shop: Awaited<ReturnType<typeof readStore>>; expiresAt: number }
  >();
  return async (accountId: number, id: number) => {
    const name = `${accountId} ${id}`;
    const now = performance.now();
    const cachedStore = cache.get(name);
    if (cachedStore && cachedStore.expiresAt > now) return cachedStore.shop;
    const shop = await readStore({ accountId, id });
    if (cache.size > 10_000) cache.clear();
    cache.set(name, { shop, expiresAt: now + CACHE_MS });
    return shop;
  };
}

/** Tracks blocked callers. Their requests are refused unread for `BLOCK_MS`. */
function blockedCallers() {
  const until = new Map<string, number>();
  return {
    has: (caller: string, now: number) => (until.get(caller) ?? 0) > now,
    add: (caller: string, now: number) => {
      if (until.size >= MAX_BLOCKED) until.clear();
      until.set(caller, now + BLOCK_MS);
    },
  };
}

/**
 * Saves a batch of webhooks of several accounts. Returns the error of each webhook that was not
 * saved. Data that the database refuses fails only its own webhook; any other error fails all
 * webhooks of that account, but none of other accounts.
 */
async function saveHooks(db: Db, hooks: readonly NewStoreHook[]): Promise<unknown[]> {
  const failures = new Map<NewStoreHook, unknown>();
  for (const [accountId, accountHooks] of Map.groupBy(hooks, (hook) => hook.accountId)) {
    try {
      await insertStoreHooks(db, accountId, accountHooks, clock.now());
    } catch (error) {
      if (accountHooks.length === 1 || !isDataFault(error)) {
        for (const hook of accountHooks) failures.set(hook, error);
        continue;
      }
      for (const hook of accountHooks)
        await insertStoreHooks(db, accountId, [hook], clock.now()).catch((alone: unknown) =>
          failures.set(hook, alone),
        );
    }
  }
  return hooks.map((hook) => failures.get(hook));
}

/**
 * Returns whether the error is about a value: a data exception, a violated constraint, an exceeded
 * limit, or JSON nested too deeply.
 */
function isDataFault(error: unknown): boolean {
  if (error instanceof RangeError) return true;
  const code = String((error as { code?: unknown }).code ?? '');
  return code.startsWith('22') || code.startsWith('23') || code.startsWith('54');
}

const idOf = (params: unknown): string => (params as { id: string }).id;
