// /hooks/sms/…: where providers tell what became of texts, and what people answer. A call is believed by its
// provider's signature over the address as we know it (never Host); its effects are committed before it is answered.
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { settleText, type TextEvent, type TextReader } from '#areas/delivery/server/index.ts';
import { inTransaction, type Tx } from '#platform/server/database.ts';
import { log } from '#platform/server/log.ts';
import { counter } from '#platform/server/metrics.ts';
import { leave, takeInbound } from './inbound.ts';

/** A reader with what calls to it are signed by. */
export type KnownReader = { reader: TextReader; key: string };

const BODY_LIMIT = 1024 * 1024;
const calls = counter('sms_webhook_calls_total', 'Calls of SMS providers', ['provider', 'is']);

export function textHooks(publicUrl: string, known: readonly KnownReader[]): FastifyPluginAsync {
  return async (app) => {
    // Signatures are over the bytes as they came.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_LIMIT }, (_, body, done) =>
      done(null, body),
    );
    const answer = async (request: FastifyRequest, reply: FastifyReply) => {
      const read = readCall(publicUrl, known, request);
      if (!read) {
        calls.inc({ provider: 'nobody', is: 'refused' });
        return reply
          .status(401)
          .type('text/plain; charset=utf-8')
          .send('Not signed by a provider\n');
      }
      const { provider, told } = read;
      calls.inc({ provider, is: 'told' });
      for (const event of told) {
        await inTransaction(app.db, (tx) => takeTextEvent(tx, provider, event)).catch((error) => {
          log.error('What a provider of SMS told could not be taken', { provider, error });
          throw error;
        });
      }
      return reply.status(200).type(read.reply.type).send(read.reply.body);
    };
    app.post('/hooks/sms/told/:reference', { bodyLimit: BODY_LIMIT }, answer);
    app.post('/hooks/sms/inbound', { bodyLimit: BODY_LIMIT }, answer);
  };
}

function readCall(publicUrl: string, known: readonly KnownReader[], request: FastifyRequest) {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value[0] : value,
    ]),
  );
  const call = { url: new URL(request.url, publicUrl).href, headers, body };
  for (const { reader, key } of known) {
    const read = reader.read(call, key);
    if (read) return { ...read, provider: reader.provider };
  }
  return undefined;
}

/** One event, each once, in whatever order they come. */
export async function takeTextEvent(tx: Tx, provider: string, event: TextEvent): Promise<void> {
  const { remoteId, at } = event;
  if (event.kind === 'inbound' || event.kind === 'opted_out') {
    const text = event.kind === 'inbound' ? event.text : 'STOP';
    const { from, to } = event;
    await takeInbound(tx, { from, to, text, eventId: `${provider} ${remoteId}`, at });
    return;
  }
  const isDelivered = event.kind === 'delivered';
  const more = isDelivered
    ? { costMicros: event.costMicros }
    : { error: event.error.slice(0, 500) };
  const facts = await settleText(tx, event.reference, { isDelivered, at, remoteId, ...more });
  const hasLeft = event.kind === 'undelivered' && event.hasLeft === true;
  if (facts && hasLeft && facts.subscriber > 0) {
    await leave(tx, facts.account, '', facts.subscriber, facts.message);
  }
}
