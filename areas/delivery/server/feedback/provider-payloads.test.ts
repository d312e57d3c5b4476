// Complete sample events of each provider, signed as the provider signs them, have the expected
// results.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { mailgunHooks } from '#providers/mailgun/index.ts';
import { postmarkHooks } from '#providers/postmark/index.ts';
import { sendgridHooks } from '#providers/sendgrid/index.ts';
import { sesHooks } from '#providers/ses/events.ts';
import { testCertificate } from '#testing/servers/certificate.ts';
import {
  MAILGUN_KEY,
  mailgunCall,
  SENDGRID_KEY,
  signAsSendgrid,
  snsCall,
  TOPIC,
} from '#testing/worlds/provider-hooks.ts';
import type { FeedbackWebhookRequest, HookReader, FeedbackEvent } from './hook-provider.ts';
import { classifyCause, isHard } from './classification.ts';

const TOKEN = '0123456789012345678901234567890123456789';
const FOLDER = new URL('../../../../testing/provider-payloads/', import.meta.url);
const eventsOf = (provider: string): Record<string, object> =>
  JSON.parse(readFileSync(new URL(`${provider}.json`, FOLDER), 'utf8'));

/** How a provider calls, and which kinds and causes are read from each of its sample events. */
type ProviderCase = {
  reader: HookReader;
  key: string | undefined;
  call(event: object): FeedbackWebhookRequest;
  expectedByEvent: Record<string, string[]>;
};

const rawCall = (body: string, headers = {}): FeedbackWebhookRequest => ({
  headers,
  body: Buffer.from(body),
});

const PROVIDERS: Record<string, ProviderCase> = {
  ses: {
    reader: sesHooks(async () => testCertificate.cert),
    key: TOPIC,
    call: (event) =>
      rawCall(
        snsCall({
          Message: JSON.stringify(event),
          UnsubscribeURL: 'https://sns.eu-north-1.amazonaws.com/?Action=Unsubscribe',
        }),
      ),
    expectedByEvent: {
      'bounce with a report': ['hard: person'],
      'bounce without a report': ['hard: person', 'hard: person'],
      complaint: ['complaint'],
      'complaint without a report': ['complaint'],
      delivery: [],
    },
  },
  sendgrid: {
    reader: sendgridHooks,
    key: SENDGRID_KEY,
    call(event) {
      const body = JSON.stringify([event]);
      return rawCall(body, signAsSendgrid(body));
    },
    expectedByEvent: {
      processed: [],
      deferred: [],
      delivered: [],
      open: [],
      click: [],
      bounce: ['hard: person'],
      blocked: ['soft: policy'],
      'blocked without a status': ['soft: network'],
      dropped: ['hard: person'],
      spamreport: ['complaint'],
      unsubscribe: ['unsubscribe'],
      group_unsubscribe: ['unsubscribe'],
      group_resubscribe: [],
    },
  },
  postmark: {
    reader: postmarkHooks,
    key: 'hook:correct-horse',
    call: (event) =>
      rawCall(JSON.stringify(event), {
        authorization: `Basic ${Buffer.from('hook:correct-horse').toString('base64')}`,
      }),
    expectedByEvent: {
      bounce: ['hard: person'],
      'soft bounce': ['soft: full'],
      'spam complaint': ['complaint'],
      'subscription change: left': ['unsubscribe'],
      'subscription change: after a bounce': [],
      'subscription change: back': [],
    },
  },
  mailgun: {
    reader: mailgunHooks,
    key: MAILGUN_KEY,
    call: (event) => rawCall(mailgunCall(event)),
    expectedByEvent: {
      delivered: [],
      'permanent failure': ['hard: person'],
      'permanent failure by policy': ['soft: domain'],
      'permanent failure of Microsoft 365': ['hard: person'],
      'suppressed by Mailgun': ['hard: person'],
      'temporary failure': [],
      complained: ['complaint'],
      unsubscribed: ['unsubscribe'],
      opened: [],
    },
  },
};

/** Classifies events like applyFeedback. */
function summaryOf({ kind, cause, code, diagnostic, isPermanent }: FeedbackEvent): string {
  if (kind !== 'bounce') return kind;
  const isMissing = cause ? cause === 'person' : isHard(code, diagnostic);
  return `${isPermanent && isMissing ? 'hard' : 'soft'}: ${cause ?? classifyCause(code, diagnostic)}`;
}

describe.each(Object.entries(PROVIDERS))('%s', (name, { reader, key, call, expectedByEvent }) => {
  const events = eventsOf(name);

  test('the tests cover every sample event', () => {
    expect(Object.keys(events).sort()).toEqual(Object.keys(expectedByEvent).sort());
  });

  test.each(Object.entries(expectedByEvent))(
    'the event “%s” is read as %j',
    async (event, expected) => {
      const payload = events[event] as object;
      const reading = await reader.read(call(payload), key);
      const readEvents = reading.kind === 'accepted' ? reading.events : undefined;
      expect(readEvents?.map(summaryOf)).toEqual(expected);
      for (const reportedEvent of readEvents ?? []) {
        expect(reportedEvent.eventId).toMatch(/\w/);
        expect(reportedEvent.at.toISOString()).toMatch(/^2026-03-02T/);
        expect(reportedEvent.recipient).toMatch(/^(reader|other)@w\.example$/);
        // An original email in the report names its copy.
        if (JSON.stringify(payload).includes(TOKEN))
          expect(reportedEvent.tokenCandidates).toContain(TOKEN);
      }
    },
  );

  test('a call that was modified or has an invalid signature is refused', async () => {
    const [first] = Object.values(events) as [object];
    const { headers, body } = call(first);
    const text = body.toString();
    const forgedCall = {
      headers: headers.authorization ? { authorization: 'Basic aG9vazp3cm9uZw==' } : headers,
      body: Buffer.from(
        name === 'mailgun'
          ? text.replace(/"token":"[^"]*"/, '"token":"another"')
          : text.replace('reader@w.example', 'victim@w.example'),
      ),
    };
    expect(await reader.read(forgedCall, key)).toMatchObject({ kind: 'refused', status: 401 });
  });
});
