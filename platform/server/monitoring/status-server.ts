// Endpoints for monitors: /health, /ready and /metrics on a separate port.
import { createServer, type ServerResponse } from 'node:http';
import { listUnreachableNodes } from '../database/across-accounts.sql.ts';
import { CannotStart } from '../process/cannot-start.ts';
import { type Db, ping } from '../database/database.ts';
import { log } from '../log.ts';
import { renderMetrics } from '../metrics.ts';
import { withinTime } from '../time-limit.ts';

/** A database that takes longer is treated as unreachable, because monitors do not wait forever. */
const PING_MS = 5_000;
const KEEP_ALIVE_MS = 5_000;

/**
 * `nodes_away`: cluster nodes that do not respond. Accounts on other nodes are served, so the role
 * is ready.
 */
type Readiness =
  | { status: 'ready'; nodes_away?: string[] }
  | { status: 'not ready'; reason: string };

/** Checks that the database responds and that the role can work (`check` throws the reason). */
export async function checkReadiness(
  db: Db,
  check?: () => void | Promise<void>,
): Promise<Readiness> {
  try {
    await withinTime(ping(db), PING_MS, 'The database does not respond.');
    await check?.();
    const awayNodes = await withinTime(
      listUnreachableNodes(db),
      PING_MS,
      'The nodes do not answer.',
    );
    return { status: 'ready', ...(awayNodes.length > 0 && { nodes_away: awayNodes }) };
  } catch (error) {
    return { status: 'not ready', reason: (error as Error).message };
  }
}

type StatusServer = { port: number; close(): Promise<void> };

/** Listens on METRICS_PORT and METRICS_HOST. */
export async function startStatusServer(
  at: { host: string; port: number },
  db: Db,
  check?: () => void,
): Promise<StatusServer> {
  const server = createServer((request, response) => {
    const path = request.url?.split('?', 1)[0] ?? '';
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const respond = isRead ? createResponders(db, check)[path] : undefined;
    if (!respond) return send(response, 404, JSON_TYPE, '{"status":"not found"}');
    respond(response).catch((error: unknown) => {
      log.error('Could not answer a monitoring request', { error });
      if (!response.headersSent) send(response, 500, JSON_TYPE, '{"status":"failed"}');
    });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await new Promise<void>((listening, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(at, error)));
    server.listen(at.port, at.host, listening);
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : at.port;
  log.info('Monitoring endpoint listening', {
    metrics: `http://${formatHost(at.host)}:${port}/metrics`,
  });
  return {
    port,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

const JSON_TYPE = 'application/json; charset=utf-8';

type Responder = (response: ServerResponse) => Promise<void>;

function createResponders(db: Db, check: (() => void) | undefined): Record<string, Responder> {
  return {
    '/health': async (response) => send(response, 200, JSON_TYPE, '{"status":"ok"}'),
    '/ready': async (response) => {
      const health = await checkReadiness(db, check);
      send(response, health.status === 'ready' ? 200 : 503, JSON_TYPE, JSON.stringify(health));
    },
    '/metrics': async (response) => {
      const { text, contentType } = await renderMetrics();
      send(response, 200, contentType, text);
    },
  };
}

function send(response: ServerResponse, status: number, type: string, text: string): void {
  const headers = { 'content-type': type, 'content-length': Buffer.byteLength(text) };
  response.writeHead(status, { ...headers, 'cache-control': 'no-store' }).end(text);
}

function cannotListen(
  { host, port }: { host: string; port: number },
  error: NodeJS.ErrnoException,
) {
  return new CannotStart(
    error.code === 'EADDRINUSE'
      ? `Port ${port} of ${formatHost(host)}, which METRICS_PORT names, is in use.`
      : `METRICS_HOST and METRICS_PORT: cannot listen on ${formatHost(host)}:${port}: ${error.message}.`,
  );
}

const formatHost = (host: string) => (host.includes(':') ? `[${host}]` : host);
