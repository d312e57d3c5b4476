// Live hints: 'campaign abc123 changed'. Any process sends them; every web process listens on one
// connection and forwards them to that account's browsers as server-sent events.
//
// To announce a change, call this in the function that makes it:
//
//   sendChangeHint(tx, accountId, 'campaign', campaignId); // the screen: useLive('campaign:<id>')
//
// The hint is sent after the commit (immediately outside a transaction) and contains no data: the
// browser fetches again with its own rights. Identical hints within 100 ms are merged, so call it
// on every change. Hints may be lost (a restart, a broken connection): never make them the only
// source of updates.
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import type pg from 'pg';
import { defineCalls } from '../../contract.ts';
import { encodeId, type Kind } from '../../ids.ts';
import { afterCommit, type Db, getPool, type Reader } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { type Route, createRoutes } from '../http/serve.ts';
import { CHANNEL, notify } from './live.sql.ts';
import { log } from '../log.ts';

const GATHER_MS = 100;
const BEAT_MS = 20_000;
/**
 * Minimum lifetime of a stream; up to a quarter is added at random. After that, the browser opens a
 * new stream and authenticates again.
 */
const STREAM_MS = 10 * 60_000;
const MAX_STREAMS_PER_USER = 20;
/** A browser with more unread bytes than this is disconnected. */
const MAX_UNREAD_BYTES = 64 * 1024;
const RECONNECT_MS = 1000;

let notifier: Db | undefined;
const pending = new Set<string>();
let gathering: NodeJS.Timeout | undefined;

/** Sets the database that sends hints; called once per process. */
export function configureLive(db: Db): void {
  notifier = db;
}

/**
 * Announces a change to an object of this account.
 * @param tx the transaction of the change: the hint is sent after its commit
 * @param topic the kind of object
 * @param id its number, or the complete string for an object without a kind
 */
export function sendChangeHint(tx: Reader, accountId: number, topic: Kind, id: number): void;
export function sendChangeHint(tx: Reader, accountId: number, topic: string, id: string): void;
export function sendChangeHint(
  _tx: Reader,
  accountId: number,
  topic: string,
  id: number | string,
): void {
  const name = typeof id === 'number' ? encodeId(topic as Kind, id) : id;
  afterCommit(() => {
    pending.add(JSON.stringify({ account: accountId, topic, id: name }));
    gathering ??= setTimeout(flushHints, GATHER_MS).unref();
  });
}

async function flushHints(): Promise<void> {
  gathering = undefined;
  const payloads = [...pending];
  pending.clear();
  if (!notifier || payloads.length === 0) return;
  await notify(notifier, payloads).catch((error: Error) =>
    log.debug('Could not send change events', { reason: error.message }),
  );
}

type Stream = { reply: FastifyReply; userId: number; end(): void };

const streams = new Map<number, Set<Stream>>();
let listening: Promise<void> | undefined;
let connection: pg.PoolClient | undefined;
let isClosed = false;

/** Opens the process's only LISTEN connection with the first stream. */
function listen(db: Db): Promise<void> {
  listening ??= (async () => {
    const client = await getPool(db).connect();
    connection = client;
    client.on('notification', (message) => forwardHint(message.payload ?? ''));
    client.on('error', () => handleLostConnection(db, client));
    client.on('end', () => handleLostConnection(db, client));
    await client.query(`listen ${CHANNEL}`);
  })().catch((error: unknown) => {
    listening = undefined;
    throw error;
  });
  return listening;
}

/** Hints were missed: ends the streams, so that each browser reconnects and fetches again. */
function handleLostConnection(db: Db, client: pg.PoolClient): void {
  if (connection !== client) return;
  connection = undefined;
  listening = undefined;
  client.release(true);
  if (isClosed) return;
  endAll();
  setTimeout(() => {
    if (!isClosed) listen(db).catch(() => {});
  }, RECONNECT_MS).unref();
}

function forwardHint(payload: string): void {
  const { account, topic, id } = JSON.parse(payload) as {
    account: number;
    topic: string;
    id: string;
  };
  const line = `data: ${JSON.stringify({ topic: `${topic}:${id}`, id })}\n\n`;
  for (const stream of streams.get(account) ?? []) write(stream, line);
}

function write(stream: Stream, text: string): void {
  if (stream.reply.raw.writableLength > MAX_UNREAD_BYTES) stream.end();
  else stream.reply.raw.write(text);
}

function openStream(accountId: number, userId: number, reply: FastifyReply): void {
  const accountStreams = streams.get(accountId) ?? new Set<Stream>();
  streams.set(accountId, accountStreams);
  if (
    [...accountStreams].filter((stream) => stream.userId === userId).length >= MAX_STREAMS_PER_USER
  ) {
    throw new AppError('too_many_requests', { retryAfterSeconds: 30 });
  }
  reply.hijack();
  reply.raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-store, no-transform',
    'x-accel-buffering': 'no',
    connection: 'keep-alive',
  });
  reply.raw.write('retry: 2000\n\n');
  const stream: Stream = {
    reply,
    userId,
    end() {
      clearInterval(beat);
      clearTimeout(life);
      accountStreams.delete(stream);
      if (accountStreams.size === 0 && streams.get(accountId) === accountStreams)
        streams.delete(accountId);
      reply.raw.end();
    },
  };
  const beat = setInterval(() => write(stream, ': alive\n\n'), BEAT_MS).unref();
  const life = setTimeout(stream.end, STREAM_MS * (1 + Math.random() / 4)).unref();
  accountStreams.add(stream);
  reply.raw.on('close', stream.end);
}

function endAll(): void {
  for (const accountStreams of [...streams.values()]) {
    for (const stream of [...accountStreams]) stream.end();
  }
}

const calls = defineCalls({
  live: {
    method: 'GET',
    path: '/client-api/api/live',
    caller: 'account',
    summary: 'Get a stream of change events',
    description: 'Server-sent events as {topic, id}.',
    transaction: 'own',
  },
});

export const liveRoutes: Route[] = createRoutes('platform', calls, {
  live: async ({ db, caller, reply }) => {
    await listen(db);
    openStream(caller.accountId, caller.userId, reply);
    return reply;
  },
});

/** Ends the streams and the connection before the server closes. */
export const livePlugin: FastifyPluginAsync = async (app) => {
  isClosed = false;
  app.addHook('preClose', async () => {
    isClosed = true;
    endAll();
    const client = connection;
    connection = undefined;
    listening = undefined;
    client?.release(true);
  });
};
