// Signs deliveries in two ways: with a hex HMAC of the body, and by the Standard Webhooks
// specification (an HMAC of id, timestamp and body). For a day after a rotation both secrets sign.
// The standard header then lists both signatures. A hex header can contain only one, so the usual
// header keeps the signature made with the former secret, and a second header has the signature
// made with the new secret.
import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { decodePublicId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';
import { seal, unseal } from '#platform/server/secrets.ts';
import { SECRET_OVERLAP_MS } from '../shared.ts';
import * as store from './endpoints.sql.ts';

const PURPOSE = 'signatures of outgoing webhooks';
const PREFIX = 'whsec_';

export type SigningSecrets = {
  current: string;
  previous: string | undefined;
  previousValidUntil: Date | null;
};

const newSecret = () => seal(PURPOSE, `${PREFIX}${randomBytes(24).toString('base64')}`);

/** Returns the signing secrets of an account. The first call creates one. */
export async function readSecrets(db: Reader, accountId: number): Promise<SigningSecrets> {
  if (!(await store.findSecret(db, accountId)))
    await store.insertSecret(db, accountId, newSecret());
  const row = await store.findSecret(db, accountId);
  if (!row) throw new Error('The account of the signing secret was deleted');
  const isFormerValid =
    row.former !== null && row.former_until !== null && row.former_until > clock.now();
  return {
    current: unseal(PURPOSE, row.sealed),
    previous: isFormerValid && row.former ? unseal(PURPOSE, row.former) : undefined,
    previousValidUntil: isFormerValid ? row.former_until : null,
  };
}

export async function rotateSecrets(tx: Tx, accountId: number): Promise<SigningSecrets> {
  await readSecrets(tx, accountId);
  const formerUntil = new Date(clock.now().getTime() + SECRET_OVERLAP_MS);
  await store.rotateSecret(tx, accountId, newSecret(), formerUntil);
  return readSecrets(tx, accountId);
}

export function createSignatureHeaders(
  { current, previous }: SigningSecrets,
  id: string,
  body: string,
  at: Date,
): Record<string, string> {
  const seconds = String(Math.floor(at.getTime() / 1000));
  const standard = (secret: string) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
  };
  const hex = (secret: string) => createHmac('sha256', secret).update(body).digest('hex');
  const activeSecrets = previous === undefined ? [current] : [current, previous];
  return {
    'x-sender-signature': hex(previous ?? current),
    ...(previous !== undefined && { 'x-sender-signature-next': hex(current) }),
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': activeSecrets.map(standard).join(' '),
  };
}

/**
 * Returns whether the signatures in the headers of a delivery are valid for this body. The account
 * is encoded in the id in the headers.
 */
export async function hasValidSignature(
  db: Db,
  headers: IncomingHttpHeaders,
  body: string,
): Promise<boolean> {
  const id = String(headers['webhook-id'] ?? '');
  const attempt = decodePublicId('attempt', id);
  const at = new Date(Number(headers['webhook-timestamp']) * 1000);
  if (!attempt || Number.isNaN(at.getTime())) return false;
  const expectedHeaders = createSignatureHeaders(
    await readSecrets(db, attempt.accountId),
    id,
    body,
    at,
  );
  const isHex = headers['x-sender-signature'] === expectedHeaders['x-sender-signature'];
  return isHex && headers['webhook-signature'] === expectedHeaders['webhook-signature'];
}
