// Sends one notification to the push service of one browser (RFC 8030), encrypted for that browser
// (RFC 8291).
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { DIRECTION, LANGUAGES, LOCALE } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import type { Db } from '#platform/server/database/database.ts';
import { defineJob } from '#platform/server/jobs/jobs.ts';
import { log } from '#platform/server/log.ts';
import { PrivateAddressError } from '#platform/server/outgoing/outgoing-address.ts';
import { callPublic } from '#platform/server/outgoing/outgoing-call.ts';
import { dropPush, findPush, type PushRow } from './push.sql.ts';
import { findLiveSession } from './sessions.sql.ts';
import { deriveVapidKeys } from './vapid.ts';

/**
 * The content of a notification; `path` is the screen that it opens, and a newer notification with
 * the same `tag` replaces it.
 */
const Notice = z.object({
  title: z.string(),
  body: z.string(),
  path: z.string(),
  tag: z.string(),
});
export type BrowserNotice = z.infer<typeof Notice>;

const Payload = z.object({
  accountId: z.number(),
  /** The SHA-256 of the browser's endpoint in base64url. */
  browser: z.string(),
  language: z.enum(LANGUAGES),
  notice: Notice,
});

const TIME_LIMIT_MS = 10_000;
const MAX_RESPONSE_BYTES = 4_096;
/**
 * How long push services store the notification for an offline browser; an older one is useless.
 */
const TTL_SECONDS = 86_400;
/**
 * Statuses of a subscription that has ended, or was created with another key because SECRET
 * changed. It will never work again.
 */
const EXPIRED_STATUSES = new Set([401, 403, 404, 410]);
/** Returns whether the delivery is retried; other refusals are permanent. */
const isTemporary = (status: number) => status === 429 || status >= 500;

let subject = '';

/** Sets the contact of this installation for push services. */
export function configurePush(options: { publicUrl: string; from: string | undefined }): void {
  const { publicUrl, from } = options;
  const { protocol, hostname } = new URL(publicUrl);
  subject = protocol === 'https:' ? publicUrl : `mailto:${from ?? `sendloom@${hostname}`}`;
}

/**
 * Sends a notification. If a crash repeats the delivery, the second notification replaces the first
 * one in the browser, because they have the same tag.
 */
export const pushJob = defineJob({
  name: 'accounts.push',
  payload: Payload,
  run: async (payload, { db }) => {
    const hash = Buffer.from(payload.browser, 'base64url');
    const row = await findPush(db, payload.accountId, hash);
    if (!row) return;
    if (!(await isSignedIn(db, row))) return dropPush(db, hash, row);
    const status = await deliverNotice(row, payload);
    if (EXPIRED_STATUSES.has(status)) await dropPush(db, hash, row);
    else if (isTemporary(status)) throw new Error(`The push service returned ${status}.`);
    else if (status >= 300) log.warn('Push service rejected a notification', { status });
  },
});

const isSignedIn = async (db: Db, row: PushRow) =>
  (await findLiveSession(db, row.account_id, row.session_id, clock.now())) !== undefined;

/**
 * Returns the status of the response; 410 for an endpoint that must not be called.
 * @throws if the push service is unreachable
 */
async function deliverNotice(
  { endpoint, p256dh, auth }: PushRow,
  { notice, language }: z.infer<typeof Payload>,
): Promise<number> {
  const payload = { ...notice, lang: LOCALE[language], dir: DIRECTION[language] };
  // Loaded by workers only.
  const { default: webPush } = await import('web-push');
  const { headers, body } = webPush.generateRequestDetails(
    { endpoint, keys: { p256dh, auth } },
    JSON.stringify(payload),
    {
      vapidDetails: { subject, ...deriveVapidKeys() },
      TTL: TTL_SECONDS,
      // Of several pending notifications with one topic, push services retain only the newest. The
      // topic is the tag, here of a campaign.
      topic: createHash('sha256').update(notice.tag).digest('base64url').slice(0, 32),
    },
  );
  try {
    const response = await callPublic(endpoint, {
      method: 'POST',
      headers: Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, String(v)])),
      body: body ?? Buffer.alloc(0),
      timeoutMs: TIME_LIMIT_MS,
      maxBytes: MAX_RESPONSE_BYTES,
    });
    return response.status;
  } catch (error) {
    if (error instanceof PrivateAddressError) return 410;
    throw error;
  }
}
