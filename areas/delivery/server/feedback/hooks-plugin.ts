// Serves /hooks/…, where providers report about emails. A call is authenticated by the provider's
// signature and, at the address of an account, by the secret in the address. Events are applied and
// committed before the response.
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { claimProviderEvents } from '#areas/tracking/server/index.ts';
import { cleanValue } from '#platform/server/clean-text.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { log } from '#platform/server/log.ts';
import { counter } from '#platform/server/metrics.ts';
import { applyFeedback } from './effects.ts';
import type { HookReader, FeedbackWebhookResult } from './hook-provider.ts';
import {
  type InstanceKeys,
  MAX_EVENTS_PER_TRANSACTION,
  ingestForAccounts,
} from './instance-hooks.ts';
import { recordEventTime } from './webhooks.sql.ts';
import { readWebhook, readHookToken, storeKey } from './webhooks.ts';

const BODY_LIMIT = 5 * 1024 * 1024;
const MIN_RECORD_INTERVAL_MS = 60_000;

const calls = counter('webhook_calls_total', 'Webhook requests of providers', ['provider', 'is']);

/** @param keys signing keys of the providers that the installation's relays belong to */
export function hooksPlugin(
  readers: readonly HookReader[],
  keys: InstanceKeys = {},
): FastifyPluginAsync {
  return async (app) => {
    // Bodies are not parsed, because signatures cover the raw bytes.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: BODY_LIMIT },
      (_, body, callback) => callback(null, body),
    );
    for (const reader of readers) {
      const { provider } = reader;
      app.post<{ Params: { token: string } }>(
        `/hooks/${provider}/:token`,
        { bodyLimit: BODY_LIMIT },
        async (request, reply) => {
          const payload = readHookToken(request.params.token, provider);
          if (!payload) return sendText(reply, 404, 'There is no such address');
          const hook = await readWebhook(app.db, payload.accountId, provider);
          if (hook.generation !== payload.generation)
            return sendText(reply, 410, 'This address has been replaced by a new one');
          const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
          const reading = await reader.read({ headers: request.headers, body }, hook.key);
          calls.inc({ provider, is: reading.kind });
          return handleHook(app.db, payload.accountId, reader, reading, reply);
        },
      );
      const key = keys[provider];
      if (key === undefined) continue;
      app.post(`/hooks/${provider}`, { bodyLimit: BODY_LIMIT }, async (request, reply) => {
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const reading = await reader.read({ headers: request.headers, body }, key);
        calls.inc({ provider, is: reading.kind });
        return ingestForInstance(app.db, reader, reading, reply);
      });
    }
  };
}

async function ingestForInstance(
  db: Db,
  reader: HookReader,
  reading: FeedbackWebhookResult,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (reading.kind === 'refused') {
    const { provider } = reader;
    log.warn('Rejected a provider webhook of the installation', {
      provider,
      reason: reading.reason,
    });
    return sendText(reply, reading.status, reading.reason);
  }
  if (reading.kind === 'subscription') {
    await reading.confirm();
    return sendText(reply, 200, 'Confirmed');
  }
  const { events, ticket } = cleanValue(reading);
  await ingestForAccounts(db, reader, events, ticket);
  return sendText(reply, 200, 'Accepted');
}

async function handleHook(
  db: Db,
  accountId: number,
  { provider }: HookReader,
  reading: FeedbackWebhookResult,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (reading.kind === 'refused') {
    log.info('Rejected a provider webhook', {
      provider,
      account: accountId,
      reason: reading.reason,
    });
    return sendText(reply, reading.status, reading.reason);
  }
  if (reading.kind === 'subscription') {
    await reading.confirm();
    await inTransaction(db, (tx) => storeKey(tx, accountId, provider, reading.key, true));
    return sendText(reply, 200, 'Confirmed');
  }
  const at = clock.now();
  const { events, ticket } = cleanValue(reading);
  for (let start = 0; start === 0 || start < events.length; start += MAX_EVENTS_PER_TRANSACTION) {
    await inTransaction(db, async (tx) => {
      if (ticket !== undefined) {
        const newEventIds = await claimProviderEvents(tx, accountId, provider, [
          `ticket ${ticket}`,
        ]);
        if (newEventIds.size === 0) return;
      }
      await applyFeedback(
        tx,
        accountId,
        provider,
        events.slice(start, start + MAX_EVENTS_PER_TRANSACTION),
      );
      await recordEventTime(
        tx,
        accountId,
        provider,
        at,
        new Date(at.getTime() - MIN_RECORD_INTERVAL_MS),
      );
    });
  }
  return sendText(reply, 200, 'Accepted');
}

const sendText = (reply: FastifyReply, status: number, text: string) =>
  reply.status(status).type('text/plain; charset=utf-8').send(`${text}\n`);
