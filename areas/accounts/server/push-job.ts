// Hands one notice to the push service of one browser (RFC 8030), sealed for that browser alone (RFC 8291).
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { DIRECTION, LANGUAGES, LOCALE } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import type { Db } from '#platform/server/database.ts';
import { defineJob } from '#platform/server/jobs.ts';
import { log } from '#platform/server/log.ts';
import { PrivateAddressError } from '#platform/server/outgoing-address.ts';
import { callPublic } from '#platform/server/outgoing-call.ts';
import { dropPush, findPush, type PushRow } from './push.sql.ts';
import { findLiveSession } from './sessions.sql.ts';
import { vapidKeys } from './vapid.ts';

/** What a browser shows; `path` is the screen that it opens, `tag` what a newer notice takes the place of. */
const Notice = z.object({
  title: z.string(),
  body: z.string(),
  path: z.string(),
  tag: z.string(),
});
export type BrowserNotice = z.infer<typeof Notice>;

const Payload = z.object({
  accountId: z.number(),
  /** SHA-256 of its endpoint, base64url. */
  browser: z.string(),
  language: z.enum(LANGUAGES),
  notice: Notice,
});

const WITHIN_MS = 10_000;
const ANSWER_BYTES = 4_096;
/** For a browser that is not running: what is older says nothing any more. */
const KEPT_SECONDS = 86_400;
/** Not there, gone; or made with another key, which a new SECRET brings: none of them takes a notice ever again. */
const GONE = new Set([401, 403, 404, 410]);
/** Asked again later; whatever else it refuses it would refuse again. */
const isPassing = (status: number) => status === 429 || status >= 500;

let subject = '';

/** Whom a push service may ask about what comes from here. */
export function configurePush(options: { publicUrl: string; from: string | undefined }): void {
  const { publicUrl, from } = options;
  const { protocol, hostname } = new URL(publicUrl);
  subject = protocol === 'https:' ? publicUrl : `mailto:${from ?? `sendloom@${hostname}`}`;
}

/** A second time by a kill in between, the notice takes its own place in the browser. */
export const pushJob = defineJob({
  name: 'accounts.push',
  payload: Payload,
  run: async (payload, { db }) => {
    const hash = Buffer.from(payload.browser, 'base64url');
    const row = await findPush(db, payload.accountId, hash);
    if (!row) return;
    if (!(await isSignedIn(db, row))) return dropPush(db, hash, row);
    const status = await handOver(row, payload);
    if (GONE.has(status)) await dropPush(db, hash, row);
    else if (isPassing(status)) throw new Error(`The push service answered ${status}.`);
    else if (status >= 300) log.warn('Push service rejected a notification', { status });
  },
});

const isSignedIn = async (db: Db, row: PushRow) =>
  (await findLiveSession(db, row.account_id, row.session_id, clock.now())) !== undefined;

/** The answer's status; 410 for an address that may not be called. @throws where nobody answers */
async function handOver(
  { endpoint, p256dh, auth }: PushRow,
  { notice, language }: z.infer<typeof Payload>,
): Promise<number> {
  const shown = { ...notice, lang: LOCALE[language], dir: DIRECTION[language] };
  // Only workers need it.
  const { default: webPush } = await import('web-push');
  const { headers, body } = webPush.generateRequestDetails(
    { endpoint, keys: { p256dh, auth } },
    JSON.stringify(shown),
    {
      vapidDetails: { subject, ...vapidKeys() },
      TTL: KEPT_SECONDS,
      // Of several of one campaign that wait for a browser, it gets the newest.
      topic: createHash('sha256').update(notice.tag).digest('base64url').slice(0, 32),
    },
  );
  try {
    const answer = await callPublic(endpoint, {
      method: 'POST',
      headers: Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, String(v)])),
      body: body ?? Buffer.alloc(0),
      withinMs: WITHIN_MS,
      bytesMost: ANSWER_BYTES,
    });
    return answer.status;
  } catch (error) {
    if (error instanceof PrivateAddressError) return 410;
    throw error;
  }
}
