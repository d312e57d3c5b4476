// Serves /hooks/sms/…, where providers report delivery receipts and incoming SMS. The provider's
// signature authenticates a request; it is checked against the configured address, not the Host
// header. Events are committed before the response.
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { findAccountOfSms } from '#areas/delivery/server/ledger/index.ts';
import type { SmsReader } from '#areas/delivery/server/sender/index.ts';
import type { Db } from '#platform/server/database/database.ts';
import { log } from '#platform/server/log.ts';
import { counter } from '#platform/server/metrics.ts';
import type { ProviderKind } from '../providers-limits.ts';
import { readInboundToken } from './own-hooks.ts';
import { findProvider, listProviders, type ProviderRow } from './own-providers.sql.ts';
import { getHookKey } from './own-providers.ts';
import { ingestSmsEvent } from './delivery-events.ts';

/** A reader, and the key that its provider signs webhooks with. */
export type KnownReader = { reader: SmsReader; key: string };

/** Readers of webhooks of accounts' own providers, by kind. */
export type OwnReaders = Readonly<Partial<Record<ProviderKind, SmsReader>>>;

export type SmsHooks = {
  publicUrl: string;
  /** Readers of the installation's providers, which report about SMS of all accounts. */
  sharedReaders: readonly KnownReader[];
  ownReaders: OwnReaders;
};

const BODY_LIMIT = 1024 * 1024;
const calls = counter('sms_webhook_calls_total', 'Webhook requests of SMS providers', [
  'provider',
  'is',
]);

type WebhookCall = Parameters<SmsReader['read']>[0];
type ReadHook = NonNullable<ReturnType<SmsReader['read']>> & {
  provider: string;
  /** The account whose own provider sent the webhook. */
  ownerAccountId?: number;
};
type Params = { Params: { reference?: string; token?: string } };

export function smsHooks(hooks: SmsHooks): FastifyPluginAsync {
  return async (app) => {
    // Signatures cover the raw bytes of the body.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_LIMIT }, (_, body, done) =>
      done(null, body),
    );
    const handleWebhook = async (request: FastifyRequest<Params>, reply: FastifyReply) => {
      const call = toCall(hooks.publicUrl, request);
      const webhook =
        readShared(hooks, call) ?? (await readOwn(app.db, hooks, call, request.params));
      if (!webhook) {
        calls.inc({ provider: 'unknown', is: 'refused' });
        return reply
          .status(401)
          .type('text/plain; charset=utf-8')
          .send('Not signed by a provider\n');
      }
      const { provider, events, ownerAccountId } = webhook;
      calls.inc({ provider, is: 'accepted' });
      for (const event of events) {
        await ingestSmsEvent(app.db, provider, event, ownerAccountId).catch((error) => {
          log.error('Could not store an SMS provider event', { provider, error });
          throw error;
        });
      }
      return reply.status(200).type(webhook.reply.type).send(webhook.reply.body);
    };
    app.post<Params>('/hooks/sms/receipts/:reference', { bodyLimit: BODY_LIMIT }, handleWebhook);
    app.post<Params>('/hooks/sms/inbound', { bodyLimit: BODY_LIMIT }, handleWebhook);
    app.post<Params>('/hooks/sms/inbound/:token', { bodyLimit: BODY_LIMIT }, handleWebhook);
  };
}

function toCall(publicUrl: string, request: FastifyRequest): WebhookCall {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value[0] : value,
    ]),
  );
  return { url: new URL(request.url, publicUrl).href, headers, body };
}

function readShared({ sharedReaders }: SmsHooks, call: WebhookCall): ReadHook | undefined {
  for (const { reader, key } of sharedReaders) {
    const webhook = reader.read(call, key);
    if (webhook) return { ...webhook, provider: reader.provider };
  }
  return undefined;
}

/**
 * Reads a webhook of an account's own provider; the account is found by the reference or token in
 * the URL.
 */
async function readOwn(
  db: Db,
  { ownReaders }: SmsHooks,
  call: WebhookCall,
  { reference, token }: Params['Params'],
): Promise<ReadHook | undefined> {
  for (const row of await findProviders(db, reference, token)) {
    const reader = ownReaders[row.kind as ProviderKind];
    const key = reader && getHookKey(row);
    const webhook = key ? reader.read(call, key) : undefined;
    if (webhook)
      return { ...webhook, provider: reader?.provider ?? '', ownerAccountId: row.account_id };
  }
  return undefined;
}

/**
 * Finds the providers that may have sent a webhook. Disabled ones still report about SMS they
 * accepted.
 */
async function findProviders(
  db: Db,
  reference: string | undefined,
  token: string | undefined,
): Promise<ProviderRow[]> {
  if (reference !== undefined) {
    const accountId = findAccountOfSms(reference);
    return accountId === undefined ? [] : listProviders(db, accountId);
  }
  const provider = token === undefined ? undefined : readInboundToken(token);
  const row = provider && (await findProvider(db, provider.accountId, provider.id));
  return row ? [row] : [];
}
