// Subscribers, messages and feedback about their copies, for tests of bounces on the return path
// and of providers' reports.
import { beforeAll } from 'vitest';
import { applyFeedback } from '#areas/delivery/server/feedback/effects.ts';
import type { FeedbackEvent } from '#areas/delivery/server/feedback/hook-provider.ts';
import { processReturnedEmail } from '#areas/delivery/server/feedback/returned-email.ts';
import { readSubscriber } from '#areas/subscribers/server/index.ts';
import {
  getInstallationTokens,
  readEngagement,
  type TokenPurpose,
} from '#areas/tracking/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { addPeople, startMessage } from './sending-helpers.ts';
import { type TestServer, testServer } from '../setup/server.ts';

export const DAY = 86_400_000;
export const DOMAIN = 'bounce.example';
export let server: TestServer;
export let accountId: number;
let subscriberIds: number[];
let usedCount = 0;

beforeAll(async () => {
  server = await testServer({ BOUNCE_DOMAIN: DOMAIN });
  accountId = (await server.owner('owner@x.example')).accountId;
  subscriberIds = await addPeople(server.db, accountId, 120);
});

export const nextSubscriber = () => subscriberIds[usedCount++] as number;
export const campaign = () => startMessage(server.db, accountId);
export const readSubscriberRow = (id: number) => readSubscriber(server.db, accountId, id);
export const readFigures = async (messageId: number) =>
  (await readEngagement(server.db, accountId, [messageId])).get(messageId);

export function createFeedbackToken(
  messageId: number,
  subscriber: number,
  purpose: TokenPurpose,
  ordinal = 1,
) {
  const copy = { account: accountId, message: messageId, subscriber, ordinal };
  return getInstallationTokens().make(copy, purpose);
}

export function feedbackEvent(
  changes: Partial<FeedbackEvent> & { tokenCandidates: readonly string[] },
): FeedbackEvent {
  return {
    eventId: String(Math.random()),
    kind: 'bounce',
    at: clock.now(),
    isPermanent: true,
    code: '5.1.1',
    diagnostic: 'User unknown',
    ...changes,
  };
}

export const applyEvents = (events: FeedbackEvent[], account = accountId) =>
  inTransaction(server.db, (tx) => applyFeedback(tx, account, 'test', events));
export const renderDsn = (code: string, token: string) => `From: MAILER-DAEMON@relay.example
Subject: Undelivered Mail Returned to Sender
Message-ID: <${Math.random()}@relay.example>
Content-Type: multipart/report; report-type=delivery-status; boundary=B

--B
Content-Type: message/delivery-status

Reporting-MTA: dns; relay.example

Final-Recipient: rfc822; somebody@x.example
Action: failed
Status: ${code}
Diagnostic-Code: smtp; 550 ${code} said the server

--B
Content-Type: message/rfc822

Message-ID: <${token}@shop.example>
--B--
`;
export const receiveEmail = (to: string, text: string) =>
  processReturnedEmail(server.db, { from: '', to: [to], bytes: Buffer.from(text) });
