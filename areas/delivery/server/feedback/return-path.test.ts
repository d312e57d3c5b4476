// Email to the return path: bounces, complaints and unsubscribes take effect, and forged ones do
// not.
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sampleSource } from '#areas/content/server/sample-source.ts';
import {
  createSubscriber,
  deleteSubscribers,
  listStatusChanges,
  isSuppressed,
  updateSubscriber,
} from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import {
  accountId,
  campaign,
  DOMAIN,
  renderDsn,
  readFigures,
  receiveEmail,
  nextSubscriber,
  readSubscriberRow,
  server,
  applyEvents,
  createFeedbackToken,
  feedbackEvent,
} from '#testing/worlds/feedback-setup.ts';
import { messageReturned } from '../events.ts';
import { sendOne } from '../ledger/messages.ts';
import { acceptsEmailFor } from './returned-email.ts';
import type { MessageKind } from '../../message-kinds.ts';

describe('email on the return path', () => {
  test('a bounce suppresses the address, is counted in its campaign, and is published as an event', async () => {
    const [id, messageId] = [nextSubscriber(), await campaign()];
    const announced: unknown[] = [];
    const stop = messageReturned.on(async (_, event) => void announced.push(...event.returns));
    const verp = `b+${createFeedbackToken(messageId, id, 'bounce')}@${DOMAIN}`;
    expect(acceptsEmailFor(verp, DOMAIN)).toBe(true);
    const text = renderDsn('5.1.1', 'x');
    expect(await receiveEmail(verp, text)).toBe('bounces');
    expect(await receiveEmail(verp, `Received: again\n${text}`)).toBe('bounces');
    stop();
    const row = await readSubscriberRow(id);
    expect(row).toMatchObject({ email_status: 'bounced', temail_status: 'bounced' });
    expect(await isSuppressed(server.db, accountId, 'email', row.email_key as string)).toBe(true);
    expect(await readFigures(messageId)).toMatchObject({ hard_bounces: 1, returned: 1 });
    expect(announced).toMatchObject([{ subscriberId: id, kind: 'hard_bounce', code: '5.1.1' }]);
    expect(await listStatusChanges(server.db, accountId, id)).toMatchObject([
      { to_status: 'bounced', reason: 'hard_bounce', message_id: messageId },
      { to_status: 'bounced', reason: 'hard_bounce', message_id: messageId },
    ]);
  });

  test('a late bounce from a previous address leaves the corrected address active', async () => {
    const [id, messageId] = [nextSubscriber(), await campaign()];
    const oldKey = (await readSubscriberRow(id)).email_key as string;
    const newAddress = `corrected-${id}@x.example`;
    clock.advance(1000);
    await inTransaction(server.db, (tx) =>
      updateSubscriber(tx, accountId, id, { email: newAddress }),
    );
    const verp = `b+${createFeedbackToken(messageId, id, 'bounce')}@${DOMAIN}`;
    const lateBounce = (original: string) =>
      renderDsn('5.1.1', 'x').replace('Action:', `Original-Recipient: rfc822;${original}\nAction:`);
    await receiveEmail(verp, lateBounce(oldKey));
    const isKeySuppressed = (key: string) => isSuppressed(server.db, accountId, 'email', key);
    expect((await readSubscriberRow(id)).email_status).toBe('active');
    expect(await isKeySuppressed(newAddress)).toBe(false);
    // A report could name any address, so the address that it names is not suppressed.
    expect(await isKeySuppressed(oldKey)).toBe(false);
    expect(await readFigures(messageId)).toMatchObject({ hard_bounces: 1, returned: 1 });
    // A report that does not name the original recipient is attributed by the token of its return
    // path.
    await receiveEmail(verp, renderDsn('5.1.1', 'y'));
    expect((await readSubscriberRow(id)).email_status).toBe('bounced');
    clock.reset();
  });

  test('a recipient cannot suppress other addresses by forging reports about a received copy', async () => {
    const [id, other, messageId] = [nextSubscriber(), nextSubscriber(), await campaign()];
    clock.advance(1000);
    await inTransaction(server.db, (tx) =>
      updateSubscriber(tx, accountId, id, { lastname: 'Changed' }),
    );
    const victim = (await readSubscriberRow(other)).email_key as string;
    const verp = `b+${createFeedbackToken(messageId, id, 'bounce')}@${DOMAIN}`;
    for (const address of [victim, 'nobody-yet@x.example']) {
      const forged = `Original-Recipient: rfc822;${address}\nAction:`;
      await receiveEmail(verp, renderDsn('5.1.1', 'x').replace('Action:', forged));
      for (const channel of ['email', 'temail'] as const) {
        expect(await isSuppressed(server.db, accountId, channel, address)).toBe(false);
      }
    }
    expect(await readSubscriberRow(other)).toMatchObject({
      email_status: 'active',
      temail_status: 'active',
    });
    clock.reset();
  });

  test('a policy refusal identified only by a Message-ID is a soft bounce and leaves the address active', async () => {
    const [id, messageId] = [nextSubscriber(), await campaign()];
    const text = renderDsn('5.7.1', createFeedbackToken(messageId, id, 'messageId'));
    expect(await receiveEmail(`postmaster@${DOMAIN}`, text)).toBe('bounces');
    expect((await readSubscriberRow(id)).email_status).toBe('active');
    expect(await readFigures(messageId)).toMatchObject({ soft_bounces: 1, hard_bounces: 0 });
  });

  test('a bounce identified only by a public Message-ID does not mark the address as bounced', async () => {
    const [id, messageId] = [nextSubscriber(), await campaign()];
    const { email_key: key } = await readSubscriberRow(id);
    const forged = renderDsn('5.1.1', createFeedbackToken(messageId, id, 'messageId'));
    expect(await receiveEmail(`postmaster@${DOMAIN}`, forged)).toBe('bounces');
    // A token of the reporter's own copy in the same report is not evidence about another copy.
    const [reporter, reporterMessage] = [nextSubscriber(), await campaign()];
    const link = `List-Unsubscribe: <https://mail.example/u/${createFeedbackToken(reporterMessage, reporter, 'link')}>`;
    await receiveEmail(
      `abuse@${DOMAIN}`,
      renderDsn('5.1.1', createFeedbackToken(messageId, id, 'messageId')).replace(
        '--B--',
        `${link}\n--B--`,
      ),
    );
    expect(await readSubscriberRow(id)).toMatchObject({
      email_status: 'active',
      temail_status: 'active',
    });
    expect(await isSuppressed(server.db, accountId, 'email', key as string)).toBe(false);
    expect(await isSuppressed(server.db, accountId, 'temail', key as string)).toBe(false);
    expect(await readFigures(messageId)).toMatchObject({ hard_bounces: 0, soft_bounces: 1 });
    expect((await readSubscriberRow(reporter)).email_status).toBe('bounced');
    const proof = `List-Unsubscribe: <https://mail.example/u/${createFeedbackToken(messageId, id, 'link')}>`;
    await receiveEmail(
      `postmaster@${DOMAIN}`,
      renderDsn('5.1.1', createFeedbackToken(messageId, id, 'messageId')).replace(
        '--B--',
        `${proof}\n--B--`,
      ),
    );
    expect(await readSubscriberRow(id)).toMatchObject({
      email_status: 'bounced',
      temail_status: 'bounced',
    });
  });

  test('a report about several forwarding targets of an address does not mark the address as bounced', async () => {
    const [id, messageId] = [nextSubscriber(), await campaign()];
    const group = `Final-Recipient: rfc822; other@y.example\nAction: failed\nStatus: 5.2.2\n\n--B`;
    const text = renderDsn('5.1.1', 'x').replace(
      '--B\nContent-Type: message/rfc822',
      `${group}\nContent-Type: message/rfc822`,
    );
    await receiveEmail(`b+${createFeedbackToken(messageId, id, 'bounce')}@${DOMAIN}`, text);
    expect((await readSubscriberRow(id)).email_status).toBe('active');
  });

  test("a complaint sets the subscriber's status to reported", async () => {
    const [id, messageId] = [nextSubscriber(), await campaign()];
    const arf = `Subject: complaint
Content-Type: multipart/report; report-type=feedback-report; boundary=F

--F
Content-Type: message/feedback-report

Feedback-Type: abuse
Original-Mail-From: <b+${createFeedbackToken(messageId, id, 'bounce')}@${DOMAIN}>

--F--
`;
    expect(await receiveEmail(`abuse@${DOMAIN}`, arf)).toBe('complaint');
    expect(await readSubscriberRow(id)).toMatchObject({
      email_status: 'reported',
      temail_status: 'active',
    });
    expect(await readFigures(messageId)).toMatchObject({ complaints: 1 });
  });

  test("a complaint identified only by a public Message-ID does not change the subscriber's status", async () => {
    const [id, messageId] = [nextSubscriber(), await campaign()];
    const arf = (original: string) => `Subject: complaint
Message-ID: <${Math.random()}@relay.example>
Content-Type: multipart/report; report-type=feedback-report; boundary=F

--F
Content-Type: message/feedback-report

Feedback-Type: abuse

--F
Content-Type: message/rfc822

${original}

--F--
`;
    const messageIdOf = `Message-ID: <${createFeedbackToken(messageId, id, 'messageId')}@shop.example>`;
    const readUnprovenCount = async () =>
      Number(
        /^sendloom_unproven_reports_total\{is="complaint"\} (\d+)$/m.exec(
          (await server.client().get('/metrics')).text,
        )?.[1] ?? 0,
      );
    const countBefore = await readUnprovenCount();
    expect(await receiveEmail(`abuse@${DOMAIN}`, arf(messageIdOf))).toBe('complaint');
    expect((await readSubscriberRow(id)).email_status).toBe('active');
    expect(await readFigures(messageId)).toMatchObject({ complaints: 1 });
    expect(await readUnprovenCount()).toBe(countBefore + 1);
    const recordedEvent = await server.db
      .selectFrom('events')
      .select('details')
      .where('account_id', '=', accountId)
      .where('message_id', '=', messageId)
      .where('kind', '=', 'complaint')
      .execute();
    expect(recordedEvent).toEqual([{ details: expect.objectContaining({ unproven: 'true' }) }]);
    const link = `List-Unsubscribe: <https://mail.example/u/${createFeedbackToken(messageId, id, 'link')}>`;
    await receiveEmail(`abuse@${DOMAIN}`, arf(`${messageIdOf}\n${link}`));
    expect((await readSubscriberRow(id)).email_status).toBe('reported');
    expect(await readUnprovenCount()).toBe(countBefore + 1);
    expect(await readFigures(messageId)).toMatchObject({ complaints: 1 });
  });

  test('a complaint from a subscriber deleted after the send suppresses the address', async () => {
    const [id, messageId] = [nextSubscriber(), await campaign()];
    const { email } = await readSubscriberRow(id);
    await inTransaction(server.db, (tx) =>
      deleteSubscribers(tx, accountId, { subscriberIds: [id] }),
    );
    const arf = `Subject: complaint
Content-Type: multipart/report; report-type=feedback-report; boundary=F

--F
Content-Type: message/feedback-report

Feedback-Type: abuse
Original-Mail-From: <b+${createFeedbackToken(messageId, id, 'bounce')}@${DOMAIN}>

--F--
`;
    expect(await receiveEmail(`abuse@${DOMAIN}`, arf)).toBe('complaint');
    const newSubscriber = await inTransaction(server.db, (tx) =>
      createSubscriber(tx, accountId, { email: email as string, source: 'import' }),
    );
    expect(newSubscriber.email_status).toBe('reported');
  });

  test('an unsubscribe email requires the token of the unsubscribe link', async () => {
    const [id, messageId] = [nextSubscriber(), await campaign()];
    const unsubscribe = (token: string) =>
      receiveEmail(`unsubscribe@${DOMAIN}`, `From: x@y.example\nSubject: unsubscribe ${token}\n\n`);
    await unsubscribe(createFeedbackToken(messageId, id, 'messageId'));
    expect((await readSubscriberRow(id)).email_status).toBe('active');
    await unsubscribe(createFeedbackToken(messageId, id, 'link'));
    expect((await readSubscriberRow(id)).email_status).toBe('unsubscribed');
    expect(await listStatusChanges(server.db, accountId, id)).toMatchObject([{ reason: 'mailto' }]);
    expect(await readFigures(messageId)).toMatchObject({ unsubscribes: 1 });
  });

  test('emails to other addresses or with forged tokens are refused', async () => {
    expect(acceptsEmailFor(`unsubscribe@${DOMAIN}`, DOMAIN)).toBe(true);
    expect(acceptsEmailFor(`unsubscribe@other.example`, DOMAIN)).toBe(false);
    expect(acceptsEmailFor(`somebody@${DOMAIN}`, DOMAIN)).toBe(false);
    expect(acceptsEmailFor(`b+${'A'.repeat(40)}@${DOMAIN}`, DOMAIN)).toBe(false);
    const link = createFeedbackToken(1, 1, 'link');
    expect(acceptsEmailFor(`b+${link}@${DOMAIN}`, DOMAIN)).toBe(false);
  });

  async function sendSingleTo(recipient: string): Promise<string> {
    const source = sampleSource({ account_id: accountId, kind: 'transactional' });
    const { messageId, singleId } = await inTransaction(server.db, (tx) =>
      sendOne(tx, {
        accountId,
        kind: 'transactional',
        sourceId: null,
        source,
        recipient,
        values: {},
        idempotencyKey: recipient,
      }),
    );
    return createFeedbackToken(messageId, 0, 'bounce', singleId);
  }
  const isFullySuppressed = async (address: string) =>
    (await isSuppressed(server.db, accountId, 'temail', address)) &&
    (await isSuppressed(server.db, accountId, 'email', address));

  test('a report about a single send to an address without a subscriber suppresses the address', async () => {
    const token = await sendSingleTo('Stranger@x.example');
    await receiveEmail(`b+${token}@${DOMAIN}`, renderDsn('5.1.1', 'x'));
    expect(await isFullySuppressed('stranger@x.example')).toBe(true);
  });

  test('reports about several recipients suppress addresses with one statement per channel', async () => {
    await sql
      .raw(
        `create table noted_channels (channel text);
         create function note_channels() returns trigger language plpgsql as
         $$ begin insert into noted_channels select distinct channel from inserted; return null; end $$;
         create trigger noted after insert on suppressions referencing new table as inserted
         for each statement execute function note_channels()`,
      )
      .execute(server.db);
    onTestFinished(async () => {
      await sql`drop trigger noted on suppressions`.execute(server.db);
    });
    const addresses = ['one@x.example', 'two@x.example', 'three@x.example'];
    const tokens = await Promise.all(addresses.map(sendSingleTo));
    await applyEvents(tokens.map((token) => feedbackEvent({ tokenCandidates: [token] })));
    expect(await Promise.all(addresses.map(isFullySuppressed))).toEqual([true, true, true]);
    const { rows } = await sql`select channel from noted_channels order by 1`.execute(server.db);
    expect(rows).toEqual([{ channel: 'email' }, { channel: 'temail' }]);
  });
});

describe('the unsubscribe page of single emails', () => {
  async function pathTo(kind: MessageKind, recipient: string): Promise<string> {
    const source = sampleSource({ account_id: accountId });
    const single = await inTransaction(server.db, (tx) =>
      sendOne(tx, {
        accountId,
        kind,
        sourceId: null,
        source,
        recipient,
        values: {},
        idempotencyKey: recipient,
      }),
    );
    return `/u/${createFeedbackToken(single.messageId, 0, 'link', single.singleId)}`;
  }

  test('shows an explanation to a user who got a test email, and changes nothing', async () => {
    const url = await pathTo('test', 'owner@x.example');
    expect((await server.client().get(url)).text).toContain('This is a test email');
    for (const path of ['', '/resubscribe', '/preferences']) {
      const response = await server.client().post(`${url}${path}`);
      expect(response).toMatchObject({
        status: 200,
        text: expect.stringContaining('This is a test email'),
      });
      expect(response.text).not.toContain('<button');
    }
    expect(await isSuppressed(server.db, accountId, 'email', 'owner@x.example')).toBe(false);
  });

  test('suppresses an address that got a test email but belongs to no user, as a complaint does', async () => {
    const [address, url] = ['friend@x.example', await pathTo('test', 'Friend@x.example')];
    expect((await server.client().get(url)).text).toContain('f•••@x.example');
    await server.client().post(url, { 'List-Unsubscribe': 'One-Click' });
    expect(await isSuppressed(server.db, accountId, 'email', address)).toBe(true);
    const source = sampleSource({ account_id: accountId, subject: 'Another' });
    const isSuppressedAfterComplaint = async (recipient: string) => {
      const test = {
        accountId,
        kind: 'test',
        sourceId: null,
        source,
        recipient,
        values: {},
      } as const;
      const single = await inTransaction(server.db, (tx) =>
        sendOne(tx, { ...test, idempotencyKey: recipient }),
      );
      const token = createFeedbackToken(single.messageId, 0, 'messageId', single.singleId);
      await applyEvents([feedbackEvent({ kind: 'complaint', tokenCandidates: [token] })]);
      return isSuppressed(server.db, accountId, 'email', recipient);
    };
    expect(await isSuppressedAfterComplaint('stranger2@x.example')).toBe(true);
    expect(await isSuppressedAfterComplaint('owner@x.example')).toBe(false);
    const id = nextSubscriber();
    const { email } = await readSubscriberRow(id);
    expect(await isSuppressedAfterComplaint(email as string)).toBe(true);
    expect((await readSubscriberRow(id)).email_status).toBe('reported');
  });

  test('suppresses an address without a subscriber', async () => {
    const url = await pathTo('transactional', 'Passer-By@x.example');
    expect((await server.client().get(url)).text).toContain('p•••@x.example');
    const response = await server.client().post(url);
    expect(response.text).toContain('You are unsubscribed');
    expect(await isSuppressed(server.db, accountId, 'email', 'passer-by@x.example')).toBe(true);
    expect((await server.client().get(url)).text).toContain('You are unsubscribed');
  });
});
