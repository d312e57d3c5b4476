// What comes back, end to end on a database: statuses, suppression, figures, events; once, in any order.
import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { sampleSource } from '#areas/content/server/sample-source.ts';
import {
  bounce,
  createSubscriber,
  deleteSubscribers,
  historyOf,
  isSuppressed,
  readSubscriber,
  suppressionsOf,
  updateSubscriber,
} from '#areas/subscribers/server/index.ts';
import {
  installationTokens,
  readEngagement,
  type TokenPurpose,
} from '#areas/tracking/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database.ts';
import { addPeople, startMessage } from '#testing/mailing.ts';
import { type TestServer, testServer } from '#testing/server.ts';
import { messageReturned } from '../events.ts';
import { sendOne } from '../ledger/messages.ts';
import { takeTold } from './effects.ts';
import { takeReturnedMail, takesMailFor } from './returned-mail.ts';
import type { Told } from './hook-provider.ts';
import type { MessageKind } from '../../message-kinds.ts';

const DAY = 86_400_000;
const DOMAIN = 'bounce.example';
let server: TestServer;
let accountId: number;
let people: number[];
let next = 0;

beforeAll(async () => {
  server = await testServer({ BOUNCE_DOMAIN: DOMAIN });
  accountId = (await server.owner('owner@x.example')).accountId;
  people = await addPeople(server.db, accountId, 120);
});

const person = () => people[next++] as number;
const campaign = () => startMessage(server.db, accountId);
const read = (id: number) => readSubscriber(server.db, accountId, id);
const figures = async (messageId: number) =>
  (await readEngagement(server.db, accountId, [messageId])).get(messageId);

function tokenOf(messageId: number, subscriber: number, purpose: TokenPurpose, ordinal = 1) {
  const facts = { account: accountId, message: messageId, subscriber, ordinal };
  return installationTokens().make(facts, purpose);
}

function told(changes: Partial<Told> & { traces: readonly string[] }): Told {
  return {
    eventId: String(Math.random()),
    kind: 'bounce',
    at: clock.now(),
    isPermanent: true,
    code: '5.1.1',
    words: 'User unknown',
    ...changes,
  };
}
const take = (events: Told[], account = accountId) =>
  inTransaction(server.db, (tx) => takeTold(tx, account, 'test', events));

const dsn = (code: string, token: string) => `From: MAILER-DAEMON@relay.example
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
const mail = (to: string, text: string) =>
  takeReturnedMail(server.db, { from: '', to: [to], bytes: Buffer.from(text) });

describe('mails on the return path', () => {
  test('a bounce closes the address, counts in its campaign and is told upward', async () => {
    const [id, messageId] = [person(), await campaign()];
    const heard: unknown[] = [];
    const stop = messageReturned.on(async (_, facts) => void heard.push(...facts.returns));
    const verp = `b+${tokenOf(messageId, id, 'bounce')}@${DOMAIN}`;
    expect(takesMailFor(verp, DOMAIN)).toBe(true);
    const text = dsn('5.1.1', 'x');
    expect(await mail(verp, text)).toBe('bounces');
    expect(await mail(verp, `Received: again\n${text}`)).toBe('bounces');
    stop();
    const row = await read(id);
    expect(row).toMatchObject({ email_status: 'bounced', temail_status: 'bounced' });
    expect(await isSuppressed(server.db, accountId, 'email', row.email_key as string)).toBe(true);
    expect(await figures(messageId)).toMatchObject({ hard_bounces: 1, returned: 1 });
    expect(heard).toMatchObject([{ subscriberId: id, kind: 'hard_bounce', code: '5.1.1' }]);
    expect(await historyOf(server.db, accountId, id)).toMatchObject([
      { to_status: 'bounced', reason: 'hard_bounce', message_id: messageId },
      { to_status: 'bounced', reason: 'hard_bounce', message_id: messageId },
    ]);
  });

  test('a late bounce of an address that was corrected since leaves the new one alone', async () => {
    const [id, messageId] = [person(), await campaign()];
    const old = (await read(id)).email_key as string;
    const fresh = `corrected-${id}@x.example`;
    clock.advance(1000);
    await inTransaction(server.db, (tx) => updateSubscriber(tx, accountId, id, { email: fresh }));
    const verp = `b+${tokenOf(messageId, id, 'bounce')}@${DOMAIN}`;
    const late = (original: string) =>
      dsn('5.1.1', 'x').replace('Action:', `Original-Recipient: rfc822;${original}\nAction:`);
    await mail(verp, late(old));
    const suppressed = (key: string) => isSuppressed(server.db, accountId, 'email', key);
    expect((await read(id)).email_status).toBe('active');
    expect(await suppressed(fresh)).toBe(false);
    // Whoever wrote the report could name any address.
    expect(await suppressed(old)).toBe(false);
    expect(await figures(messageId)).toMatchObject({ hard_bounces: 1, returned: 1 });
    // What the mail was forwarded to says nothing: without the first recipient the token counts.
    await mail(verp, dsn('5.1.1', 'y'));
    expect((await read(id)).email_status).toBe('bounced');
    clock.reset();
  });

  test('whoever got a mail cannot have others’ addresses closed by reports about it', async () => {
    const [id, other, messageId] = [person(), person(), await campaign()];
    clock.advance(1000);
    await inTransaction(server.db, (tx) =>
      updateSubscriber(tx, accountId, id, { lastname: 'Changed' }),
    );
    const victim = (await read(other)).email_key as string;
    const verp = `b+${tokenOf(messageId, id, 'bounce')}@${DOMAIN}`;
    for (const address of [victim, 'nobody-yet@x.example']) {
      const forged = `Original-Recipient: rfc822;${address}\nAction:`;
      await mail(verp, dsn('5.1.1', 'x').replace('Action:', forged));
      for (const channel of ['email', 'temail'] as const) {
        expect(await isSuppressed(server.db, accountId, channel, address)).toBe(false);
      }
    }
    expect(await read(other)).toMatchObject({ email_status: 'active', temail_status: 'active' });
    clock.reset();
  });

  test('without the return path the Message-ID says whose it was; policy is nobody’s fault', async () => {
    const [id, messageId] = [person(), await campaign()];
    const text = dsn('5.7.1', tokenOf(messageId, id, 'messageId'));
    expect(await mail(`postmaster@${DOMAIN}`, text)).toBe('bounces');
    expect((await read(id)).email_status).toBe('active');
    expect(await figures(messageId)).toMatchObject({ soft_bounces: 1, hard_bounces: 0 });
  });

  test('a bounce by a Message-ID alone, which others see, closes nobody’s address', async () => {
    const [id, messageId] = [person(), await campaign()];
    const { email_key: key } = await read(id);
    const forged = dsn('5.1.1', tokenOf(messageId, id, 'messageId'));
    expect(await mail(`postmaster@${DOMAIN}`, forged)).toBe('bounces');
    // A token of one's own beside it proves nothing of the other's.
    const [own, ownMessage] = [person(), await campaign()];
    const link = `List-Unsubscribe: <https://mail.example/u/${tokenOf(ownMessage, own, 'link')}>`;
    await mail(
      `abuse@${DOMAIN}`,
      dsn('5.1.1', tokenOf(messageId, id, 'messageId')).replace('--B--', `${link}\n--B--`),
    );
    expect(await read(id)).toMatchObject({ email_status: 'active', temail_status: 'active' });
    expect(await isSuppressed(server.db, accountId, 'email', key as string)).toBe(false);
    expect(await isSuppressed(server.db, accountId, 'temail', key as string)).toBe(false);
    expect(await figures(messageId)).toMatchObject({ hard_bounces: 0, soft_bounces: 1 });
    expect((await read(own)).email_status).toBe('bounced');
    const proof = `List-Unsubscribe: <https://mail.example/u/${tokenOf(messageId, id, 'link')}>`;
    await mail(
      `postmaster@${DOMAIN}`,
      dsn('5.1.1', tokenOf(messageId, id, 'messageId')).replace('--B--', `${proof}\n--B--`),
    );
    expect(await read(id)).toMatchObject({ email_status: 'bounced', temail_status: 'bounced' });
  });

  test('several dead recipients behind one address close nobody', async () => {
    const [id, messageId] = [person(), await campaign()];
    const group = `Final-Recipient: rfc822; other@y.example\nAction: failed\nStatus: 5.2.2\n\n--B`;
    const text = dsn('5.1.1', 'x').replace(
      '--B\nContent-Type: message/rfc822',
      `${group}\nContent-Type: message/rfc822`,
    );
    await mail(`b+${tokenOf(messageId, id, 'bounce')}@${DOMAIN}`, text);
    expect((await read(id)).email_status).toBe('active');
  });

  test('a complaint makes the person reported', async () => {
    const [id, messageId] = [person(), await campaign()];
    const arf = `Subject: complaint
Content-Type: multipart/report; report-type=feedback-report; boundary=F

--F
Content-Type: message/feedback-report

Feedback-Type: abuse
Original-Mail-From: <b+${tokenOf(messageId, id, 'bounce')}@${DOMAIN}>

--F--
`;
    expect(await mail(`abuse@${DOMAIN}`, arf)).toBe('complaint');
    expect(await read(id)).toMatchObject({ email_status: 'reported', temail_status: 'active' });
    expect(await figures(messageId)).toMatchObject({ complaints: 1 });
  });

  test('a complaint by a Message-ID alone, which others see, changes nobody’s status', async () => {
    const [id, messageId] = [person(), await campaign()];
    const arf = (given: string) => `Subject: complaint
Message-ID: <${Math.random()}@relay.example>
Content-Type: multipart/report; report-type=feedback-report; boundary=F

--F
Content-Type: message/feedback-report

Feedback-Type: abuse

--F
Content-Type: message/rfc822

${given}

--F--
`;
    const messageIdOf = `Message-ID: <${tokenOf(messageId, id, 'messageId')}@shop.example>`;
    const counted = async () =>
      Number(
        /^sendloom_unproven_reports_total\{is="complaint"\} (\d+)$/m.exec(
          (await server.client().get('/metrics')).text,
        )?.[1] ?? 0,
      );
    const before = await counted();
    expect(await mail(`abuse@${DOMAIN}`, arf(messageIdOf))).toBe('complaint');
    expect((await read(id)).email_status).toBe('active');
    expect(await figures(messageId)).toMatchObject({ complaints: 1 });
    expect(await counted()).toBe(before + 1);
    const recorded = await server.db
      .selectFrom('events')
      .select('details')
      .where('account_id', '=', accountId)
      .where('message_id', '=', messageId)
      .where('kind', '=', 'complaint')
      .execute();
    expect(recorded).toEqual([{ details: expect.objectContaining({ unproven: 'true' }) }]);
    const link = `List-Unsubscribe: <https://mail.example/u/${tokenOf(messageId, id, 'link')}>`;
    await mail(`abuse@${DOMAIN}`, arf(`${messageIdOf}\n${link}`));
    expect((await read(id)).email_status).toBe('reported');
    expect(await counted()).toBe(before + 1);
    expect(await figures(messageId)).toMatchObject({ complaints: 1 });
  });

  test('a complaint about who has been deleted since keeps their address out', async () => {
    const [id, messageId] = [person(), await campaign()];
    const { email } = await read(id);
    await inTransaction(server.db, (tx) =>
      deleteSubscribers(tx, accountId, { subscriberIds: [id] }),
    );
    const arf = `Subject: complaint
Content-Type: multipart/report; report-type=feedback-report; boundary=F

--F
Content-Type: message/feedback-report

Feedback-Type: abuse
Original-Mail-From: <b+${tokenOf(messageId, id, 'bounce')}@${DOMAIN}>

--F--
`;
    expect(await mail(`abuse@${DOMAIN}`, arf)).toBe('complaint');
    const again = await inTransaction(server.db, (tx) =>
      createSubscriber(tx, accountId, { email: email as string, source: 'import' }),
    );
    expect(again.email_status).toBe('reported');
  });

  test('an unsubscribe by mail: by the token of the link alone', async () => {
    const [id, messageId] = [person(), await campaign()];
    const ask = (token: string) =>
      mail(`unsubscribe@${DOMAIN}`, `From: x@y.example\nSubject: unsubscribe ${token}\n\n`);
    await ask(tokenOf(messageId, id, 'messageId'));
    expect((await read(id)).email_status).toBe('active');
    await ask(tokenOf(messageId, id, 'link'));
    expect((await read(id)).email_status).toBe('unsubscribed');
    expect(await historyOf(server.db, accountId, id)).toMatchObject([{ reason: 'mailto' }]);
    expect(await figures(messageId)).toMatchObject({ unsubscribes: 1 });
  });

  test('nothing else is let in, and no forged token', async () => {
    expect(takesMailFor(`unsubscribe@${DOMAIN}`, DOMAIN)).toBe(true);
    expect(takesMailFor(`unsubscribe@other.example`, DOMAIN)).toBe(false);
    expect(takesMailFor(`somebody@${DOMAIN}`, DOMAIN)).toBe(false);
    expect(takesMailFor(`b+${'A'.repeat(40)}@${DOMAIN}`, DOMAIN)).toBe(false);
    const link = tokenOf(1, 1, 'link');
    expect(takesMailFor(`b+${link}@${DOMAIN}`, DOMAIN)).toBe(false);
  });

  async function singleTo(recipient: string): Promise<string> {
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
    return tokenOf(messageId, 0, 'bounce', singleId);
  }
  const isClosed = async (address: string) =>
    (await isSuppressed(server.db, accountId, 'temail', address)) &&
    (await isSuppressed(server.db, accountId, 'email', address));

  test('a report about a single send to nobody’s row closes the address', async () => {
    const token = await singleTo('Stranger@x.example');
    await mail(`b+${token}@${DOMAIN}`, dsn('5.1.1', 'x'));
    expect(await isClosed('stranger@x.example')).toBe(true);
  });

  test('reports about several close their addresses by a statement for each channel', async () => {
    await sql
      .raw(
        `create table closings (channel text);
         create function note_closing() returns trigger language plpgsql as
         $$ begin insert into closings select distinct channel from closed; return null; end $$;
         create trigger noted after insert on suppressions referencing new table as closed
         for each statement execute function note_closing()`,
      )
      .execute(server.db);
    onTestFinished(async () => {
      await sql`drop trigger noted on suppressions`.execute(server.db);
    });
    const addresses = ['one@x.example', 'two@x.example', 'three@x.example'];
    const tokens = await Promise.all(addresses.map(singleTo));
    await take(tokens.map((token) => told({ traces: [token] })));
    expect(await Promise.all(addresses.map(isClosed))).toEqual([true, true, true]);
    const { rows } = await sql`select channel from closings order by 1`.execute(server.db);
    expect(rows).toEqual([{ channel: 'email' }, { channel: 'temail' }]);
  });
});

describe('the unsubscribe page of single mails', () => {
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
    return `/u/${tokenOf(single.messageId, 0, 'link', single.singleId)}`;
  }

  test('of a test mail to a user it says that it is one, and does nothing', async () => {
    const url = await pathTo('test', 'owner@x.example');
    expect((await server.client().get(url)).text).toContain('This is a test email');
    for (const path of ['', '/resubscribe', '/preferences']) {
      const answer = await server.client().post(`${url}${path}`);
      expect(answer).toMatchObject({
        status: 200,
        text: expect.stringContaining('This is a test email'),
      });
      expect(answer.text).not.toContain('<button');
    }
    expect(await isSuppressed(server.db, accountId, 'email', 'owner@x.example')).toBe(false);
  });

  test('of a test mail to anybody else it closes the address, as a complaint about one does', async () => {
    const [left, url] = ['friend@x.example', await pathTo('test', 'Friend@x.example')];
    expect((await server.client().get(url)).text).toContain('f•••@x.example');
    await server.client().post(url, { 'List-Unsubscribe': 'One-Click' });
    expect(await isSuppressed(server.db, accountId, 'email', left)).toBe(true);
    const source = sampleSource({ account_id: accountId, subject: 'Another' });
    const to = async (recipient: string) => {
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
      const token = tokenOf(single.messageId, 0, 'messageId', single.singleId);
      await take([told({ kind: 'complaint', traces: [token] })]);
      return isSuppressed(server.db, accountId, 'email', recipient);
    };
    expect(await to('stranger2@x.example')).toBe(true);
    expect(await to('owner@x.example')).toBe(false);
    const id = person();
    const { email } = await read(id);
    expect(await to(email as string)).toBe(true);
    expect((await read(id)).email_status).toBe('reported');
  });

  test('of a mail to nobody’s row it closes the address', async () => {
    const url = await pathTo('transactional', 'Passer-By@x.example');
    expect((await server.client().get(url)).text).toContain('p•••@x.example');
    const done = await server.client().post(url);
    expect(done.text).toContain('You are unsubscribed');
    expect(await isSuppressed(server.db, accountId, 'email', 'passer-by@x.example')).toBe(true);
    expect((await server.client().get(url)).text).toContain('You are unsubscribed');
  });
});

describe('full mailboxes', () => {
  test('are soft, and hard after five in a row over a week; whatever they took breaks the row', async () => {
    const [gone, reader, quick] = [person(), person(), person()];
    const start = clock.now().getTime();
    for (let i = 0; i < 5; i++) {
      const messageId = await campaign();
      const at = (step: number) => new Date(start - (5 - i) * step);
      const full = (id: number, step: number) =>
        told({
          traces: [tokenOf(messageId, id, 'bounce')],
          at: at(step),
          code: '5.2.2',
          words: 'Mailbox full',
        });
      if (i === 4) expect((await read(gone)).email_status).toBe('active');
      await take([full(gone, 2 * DAY), full(reader, 2 * DAY), full(quick, DAY)]);
      if (i === 2) {
        await sql`insert into activity (account_id, subscriber_id, last_open_at)
          values (${accountId}, ${reader}, ${new Date(start - 5 * DAY)})`.execute(server.db);
      }
    }
    expect((await read(gone)).email_status).toBe('bounced');
    expect((await read(reader)).email_status).toBe('active');
    expect((await read(quick)).email_status).toBe('active');
  });

  test.each(['before', 'behind'])('end the same with forged reports %s them', async (order) => {
    const id = person();
    for (let i = 0; i < 6; i++) {
      const messageId = await campaign();
      const forge = () =>
        mail(`postmaster@${DOMAIN}`, dsn('5.2.2', tokenOf(messageId, id, 'messageId')));
      clock.advance(2 * DAY);
      if (order === 'before') await forge();
      clock.advance(1_000);
      const traces = [tokenOf(messageId, id, 'bounce')];
      await take([told({ traces, code: '5.2.2', words: 'Mailbox full' })]);
      clock.advance(1_000);
      if (order === 'behind') await forge();
    }
    clock.reset();
    expect((await read(id)).email_status).toBe('bounced');
  });

  test('told by Message-IDs alone, which others see, close nobody’s address, nor hide what it took', async () => {
    const [forged, reached] = [person(), person()];
    const start = clock.now().getTime();
    const forge = (messageId: number, id: number) =>
      mail(`postmaster@${DOMAIN}`, dsn('5.2.2', tokenOf(messageId, id, 'messageId')));
    for (let i = 0; i < 5; i++) {
      const messageId = await campaign();
      expect(await forge(messageId, forged)).toBe('bounces');
      // One that came back between two that were taken: the row is broken.
      const at = new Date(clock.now().getTime() + DAY);
      const between = await campaign();
      await sql`insert into recipients (account_id, message_id, lane, ordinal, subscriber_id)
        values (${accountId}, ${between}, 1, 1, ${reached})`.execute(server.db);
      await sql`insert into results (account_id, message_id, lane, ordinal, state, at)
        values (${accountId}, ${between}, 1, 1, 'accepted', ${at})`.execute(server.db);
      clock.advance(2 * DAY);
      await forge(between, reached);
      const traces = [tokenOf(messageId, reached, 'bounce')];
      await take([told({ traces, code: '5.2.2', words: 'Mailbox full' })]);
    }
    expect(clock.now().getTime() - start).toBeGreaterThan(8 * DAY);
    expect((await read(forged)).email_status).toBe('active');
    expect((await read(reached)).email_status).toBe('active');
    clock.reset();
  });
});

describe('events of providers', () => {
  test('a hundred times, twenty at once: one effect (fault 15)', async () => {
    const [id, messageId] = [person(), await campaign()];
    const events = [
      told({ eventId: 'same-1', traces: [tokenOf(messageId, id, 'messageId')] }),
      told({ eventId: 'same-2', kind: 'complaint', traces: [tokenOf(messageId, id, 'messageId')] }),
    ];
    const heard: unknown[] = [];
    const stop = messageReturned.on(async (_, facts) => void heard.push(...facts.returns));
    for (let round = 0; round < 5; round++) {
      await Promise.all(Array.from({ length: 20 }, () => take(events)));
    }
    stop();
    expect(heard).toHaveLength(2);
    expect(await figures(messageId)).toMatchObject({ hard_bounces: 1, complaints: 1, returned: 1 });
    const { rows } = await sql`select 1 from events where account_id = ${accountId}
      and message_id = ${messageId}`.execute(server.db);
    expect(rows).toHaveLength(2);
  });

  test('another account’s copy is not theirs to tell of', async () => {
    const [id, messageId] = [person(), await campaign()];
    const { accountId: other } = await server.owner();
    expect(await take([told({ traces: [tokenOf(messageId, id, 'bounce')] })], other)).toBe(0);
    expect((await read(id)).email_status).toBe('active');
  });

  test('in every order one and the same end (fault 16)', async () => {
    type Step = 'hard' | 'soft' | 'complaint' | 'unsubscribe' | 'gone';
    const apply = async (
      id: number,
      messageIds: number[],
      steps: readonly [Step, number, Date][],
    ) => {
      for (const [step, which, at] of steps) {
        const messageId = messageIds[which] as number;
        const traces = [tokenOf(messageId, id, 'bounce')];
        const eventId = `${step} ${which} ${id}`;
        if (step === 'gone') {
          await inTransaction(server.db, (tx) =>
            bounce(tx, accountId, { subscriberIds: [id] }, { channel: 'email', messageId }),
          );
        } else if (step === 'hard') await take([told({ eventId, traces, at })]);
        else if (step === 'soft') await take([told({ eventId, traces, at, code: '4.2.1' })]);
        else await take([told({ eventId, traces, at, kind: step })]);
      }
      const row = await read(id);
      const { rows } = await sql`select o.hard_bounced_at,
          o.soft_bounced_at, o.returned_at, o.complained_at, o.unsubscribed_at
        from outcomes o where o.account_id = ${accountId} and o.subscriber_id = ${id}
        order by message_id = ${messageIds[0]} desc`.execute(server.db);
      const keys = { emailKey: row.email_key, phoneKey: null };
      const events = await sql`select kind, at, details from events where account_id = ${accountId}
        and subscriber_id = ${id} and kind <> 'unsubscribe' order by kind, at`.execute(server.db);
      return {
        email: row.email_status,
        temail: row.temail_status,
        suppressed: await suppressionsOf(server.db, accountId, keys),
        outcomes: rows,
        events: events.rows,
      };
    };
    const now = clock.now().getTime();
    const step = fc.tuple(
      fc.constantFrom<Step>('hard', 'soft', 'complaint', 'unsubscribe', 'gone'),
      fc.nat(1),
    );
    const messageIds = [await campaign(), await campaign()];
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(step, { minLength: 2, maxLength: 6, selector: String }).chain((steps) => {
          const timed = steps.map(([name, which], i): [Step, number, Date] => [
            name,
            which,
            new Date(now - (10 - i) * 60_000),
          ]);
          return fc.tuple(
            fc.constant(timed),
            fc.shuffledSubarray(timed, { minLength: timed.length }),
          );
        }),
        async ([one, other]) => {
          const [a, b] = await addPeople(server.db, accountId, 2, [`r${Math.random()}.example`]);
          const left = await apply(a as number, messageIds, one);
          expect(await apply(b as number, messageIds, other)).toEqual(left);
        },
      ),
      { numRuns: 25 },
    );
  });
});
