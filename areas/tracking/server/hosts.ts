// Accounts' own link hosts (`links.<domain>`). A host is used once a check finds that it points
// here, with the installation's scheme and a valid certificate. Working hosts are checked every
// hour, others every five minutes.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { forEachAccount } from '#areas/accounts/server/index.ts';
import { listProvenHosts } from '#areas/domains/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Reader } from '#platform/server/database/database.ts';
import { PrivateAddressError, publicLookup } from '#platform/server/outgoing/outgoing-address.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { computeKeyedHash } from '#platform/server/secrets.ts';
import type { HostIssue } from '../shared.ts';
import { deleteHosts, findReachedHost, listHosts, saveHost } from './hosts.sql.ts';

const PROOF_PATH = '/t/here';
const RECHECK_MS = 3_600_000;
const RETRY_MS = 300_000;
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 200;
/** Number of an account's hosts that are checked concurrently. */
const CONCURRENT_CHECKS = 10;
/** Paths that accounts' own hosts serve. */
const PATHS = /^\/(t|u|v)\//;

const proofOf = (host: string) => computeKeyedHash('tracking hosts', host).toString('base64url');

/**
 * Returns the base URL of links in email from an address; undefined if it is the installation's.
 */
export async function readLinkBase(
  db: Reader,
  accountId: number,
  email: string,
  publicUrl: string,
): Promise<string | undefined> {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  const host = await findReachedHost(db, accountId, domain);
  return host === undefined ? undefined : baseOf(host, publicUrl);
}

function baseOf(host: string, publicUrl: string): string {
  const { protocol, port } = new URL(publicUrl);
  return `${protocol}//${host}${port === '' ? '' : `:${port}`}`;
}

/**
 * Returns a handler that serves `/t/here`, which proves that a host points here, and that refuses
 * other paths than PATHS on accounts' own hosts. The handler returns whether it answered.
 */
export function guardHosts(publicUrl: string) {
  const publicHost = new URL(publicUrl).hostname;
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '').toLowerCase();
    if (request.url === PROOF_PATH) {
      const proof = proofOf(host);
      response.writeHead(200, { 'content-type': 'text/plain', 'cache-control': 'no-store' });
      response.end(proof);
      return true;
    }
    if (host === publicHost || !host.startsWith('links.') || PATHS.test(request.url ?? ''))
      return false;
    response.writeHead(404, { 'content-type': 'text/plain', 'cache-control': 'no-store' });
    response.end('Not found\n');
    return true;
  };
}

/** Checks the due hosts of all accounts. */
export function trackingHostPoller(publicUrl: string): Poller {
  return {
    name: 'tracking.hosts',
    intervalMs: RETRY_MS,
    run: (db, signal) =>
      forEachAccount(db, signal, (accountId) => checkHosts(db, accountId, publicUrl)),
  };
}

/**
 * Deletes hosts of removed domains and checks hosts of one account: all of them, or hosts that are
 * due because they are new, have changed, failed, or were last checked an hour ago.
 */
export async function checkHosts(
  db: Db,
  accountId: number,
  publicUrl: string,
  scope: 'due' | 'all' = 'due',
): Promise<void> {
  const proven = (await listProvenHosts(db, accountId)).flatMap(({ domain, links }) =>
    links === undefined ? [] : [{ domain, host: links }],
  );
  const hostsByDomain = new Map((await listHosts(db, accountId)).map((row) => [row.domain, row]));
  const removedDomains = [...hostsByDomain.keys()].filter(
    (name) => !proven.some(({ domain }) => domain === name),
  );
  if (removedDomains.length > 0)
    await inTransaction(db, (tx) => deleteHosts(tx, accountId, removedDomains));
  const isDue = ({ domain, host }: { domain: string; host: string }) => {
    const row = hostsByDomain.get(domain);
    const age = row && clock.now().getTime() - row.checked_at.getTime();
    return row?.host !== host || !row.reached_at || age === undefined || age >= RECHECK_MS;
  };
  const hostsToCheck = scope === 'all' ? proven : proven.filter(isDue);
  for (let start = 0; start < hostsToCheck.length; start += CONCURRENT_CHECKS) {
    const batch = hostsToCheck.slice(start, start + CONCURRENT_CHECKS);
    await Promise.all(batch.map((host) => checkHost(db, accountId, host, publicUrl)));
  }
}

async function checkHost(
  db: Db,
  accountId: number,
  { domain, host }: { domain: string; host: string },
  publicUrl: string,
): Promise<void> {
  const fault = await faultOf(baseOf(host, publicUrl), host);
  const at = clock.now();
  await inTransaction(db, (tx) => saveHost(tx, accountId, { domain, host, fault, at }));
}

/**
 * Requests this installation's proof from the host, without redirects and with limits of time and
 * size. Returns the problem; undefined if the proof is right.
 */
function faultOf(base: string, host: string): Promise<HostIssue | undefined> {
  const send = base.startsWith('https:') ? requestHttps : requestHttp;
  return new Promise((resolve) => {
    const request = send(`${base}${PROOF_PATH}`, {
      lookup: publicLookup,
      agent: false,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    request.on('error', (error) => resolve(toHostFault(error)));
    request.on('response', (response) => {
      let text = '';
      response.setEncoding('latin1');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > MAX_BYTES) response.destroy();
      });
      response.on('error', () => resolve('unreachable'));
      response.on('close', () => {
        const isProven = response.statusCode === 200 && text === proofOf(host);
        resolve(isProven ? undefined : 'elsewhere');
      });
    });
    request.end();
  });
}

const UNRESOLVED = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ENODATA']);
/**
 * Codes of TLS errors: the certificate is invalid, or the server has no certificate for this name.
 */
const CERTIFICATE = /^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|EPROTO$)/;

export function toHostFault(error: Error): HostIssue {
  // A private address is treated as unresolved because it is not reachable from the internet.
  if (error instanceof PrivateAddressError) return 'unresolved';
  const code = (error as { code?: unknown }).code;
  if (typeof code !== 'string') return 'unreachable';
  if (UNRESOLVED.has(code)) return 'unresolved';
  return CERTIFICATE.test(code) ? 'certificate' : 'unreachable';
}
