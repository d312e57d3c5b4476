// Subscribes browsers of users to push notifications. Notifications are sent by jobs, which are
// added in the transaction that causes the notification.
import { createHash } from 'node:crypto';
import { isLanguage, type Language } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import type { Db, Tx } from '#platform/server/database/database.ts';
import type { SubscriberAddresses } from '#platform/server/database/address-search.sql.ts';
import { AppError } from '#platform/server/errors.ts';
import type { Caller } from '#platform/server/http/serve.ts';
import { addJob, removeJobsWithAddresses } from '#platform/server/jobs/jobs.ts';
import { refusePrivateAddress } from '#platform/server/outgoing/outgoing-address.ts';
import { isOpenPort } from '#platform/server/outgoing/outgoing-call.ts';
import { requireToken } from '#platform/server/limits/rate-limit.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { MAX_PUSH_BROWSERS } from '../shared.ts';
import * as store from './push.sql.ts';
import { type BrowserNotice, pushJob } from './push-job.ts';
import { requireLiveSession } from './sessions.ts';
import { isPushKey, deriveVapidKeys } from './vapid.ts';

/** Maximum lengths at which the encrypted notification fits every push service. */
const MAX_TITLE_LENGTH = 150;
const MAX_BODY = 400;
const AUTH_BYTES = 16;
const SUBSCRIPTIONS = { capacity: 30, perSecond: 30 / 3600 };

const hashOf = (endpoint: string) => createHash('sha256').update(endpoint).digest();

export async function readPush(tx: Tx, userId: number) {
  const hashes = await store.listPushHashes(tx, userId);
  return {
    key: deriveVapidKeys().publicKey,
    browsers: hashes.map((hash) => hash.toString('base64url')),
  };
}

export const limitSubscriptions = (db: Db, userId: number) =>
  requireToken(db, `push:${userId}`, SUBSCRIPTIONS);

type Subscription = {
  endpoint: string;
  keys: { p256dh: string; auth: string };
  replaces?: string;
};

/**
 * Subscribes a browser, or updates its subscription. The oldest subscriptions beyond
 * `MAX_PUSH_BROWSERS` are deleted. Sends a confirmation, unless the subscription replaces another
 * one.
 * @throws AppError bad_push_subscription
 */
export async function subscribe(tx: Tx, caller: Caller, subscription: Subscription): Promise<void> {
  const { endpoint, keys } = subscription;
  if (!isSendable(subscription)) throw new AppError('bad_push_subscription');
  await requireLiveSession(tx, caller);
  const hash = hashOf(endpoint);
  if (subscription.replaces !== undefined)
    await unsubscribe(tx, caller.userId, subscription.replaces);
  const { userId: user_id, accountId: account_id, sessionId: session_id } = caller;
  await store.savePush(
    tx,
    hash,
    { user_id, account_id, session_id, endpoint, ...keys },
    clock.now(),
  );
  const hashes = await store.listPushHashes(tx, caller.userId);
  await store.dropPushes(tx, caller.userId, hashes.slice(MAX_PUSH_BROWSERS));
  if (subscription.replaces !== undefined) return;
  const t = serverTexts('accounts', caller.language);
  const notice = {
    title: t('push.title'),
    body: t('push.body'),
    path: '/settings/user',
    tag: 'push-on',
  };
  await addNotice(tx, caller.accountId, hash, notice, caller.language);
}

function isSendable({ endpoint, keys }: Subscription): boolean {
  const url = new URL(endpoint);
  try {
    refusePrivateAddress(url.hostname.replace(/^\[|\]$/g, ''));
  } catch {
    return false;
  }
  const isBare = url.username === '' && url.password === '';
  const auth = Buffer.from(keys.auth, 'base64url');
  return isBare && isOpenPort(url) && auth.length === AUTH_BYTES && isPushKey(keys.p256dh);
}

export async function unsubscribe(tx: Tx, userId: number, endpoint: string): Promise<void> {
  await store.dropPushes(tx, userId, [hashOf(endpoint)]);
}

/**
 * Notifies the account's members, or only the given ones, in each subscribed browser and in their
 * own language. Called in the transaction that causes the notification.
 */
export async function notifyBrowsers(
  tx: Tx,
  accountId: number,
  write: (language: Language) => BrowserNotice,
  onlyUserIds?: readonly number[],
): Promise<void> {
  for (const browser of await store.listBrowsersOfMembers(tx, accountId)) {
    if (onlyUserIds && !onlyUserIds.includes(browser.user_id)) continue;
    const language = isLanguage(browser.language) ? browser.language : 'eng';
    await addNotice(tx, accountId, browser.endpoint_hash, write(language), language);
  }
}

async function addNotice(
  tx: Tx,
  accountId: number,
  hash: Buffer,
  notice: BrowserNotice,
  language: Language,
): Promise<void> {
  const title = shortenText(notice.title, MAX_TITLE_LENGTH);
  const body = shortenText(notice.body, MAX_BODY);
  const browser = hash.toString('base64url');
  const payload = { accountId, browser, language, notice: { ...notice, title, body } };
  await addJob(tx, pushJob, payload);
}

function shortenText(text: string, max: number): string {
  const characters = [...text];
  return characters.length > max ? `${characters.slice(0, max - 1).join('')}…` : text;
}

/**
 * Deletes waiting notices that contain an address of an erased subscriber. Notices quote comments
 * and titles, in which users may have written the address.
 */
export const dropNoticesNaming = (
  tx: Tx,
  accountId: number,
  naming: SubscriberAddresses,
): Promise<void> => removeJobsWithAddresses(tx, pushJob, accountId, naming);
