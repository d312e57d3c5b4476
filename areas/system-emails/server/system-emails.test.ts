// System emails, from the event to the mailbox.

import { sql } from 'kysely';
import PostalMime from 'postal-mime';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  signInChanged,
  systemEmailNeeded,
  tokenExpiring,
  usedFromNewCountry,
} from '#areas/accounts/server/index.ts';
import { broadcastFinished } from '#areas/broadcasts/server/index.ts';
import { healthChanged, pilotHolds, pilotMoved } from '#areas/deliverability/server/index.ts';
import { messageHalted } from '#areas/delivery/server/index.ts';
import { customerDataRequested } from '#areas/stores/server/index.ts';
import { MAILBOXES } from '#areas/subscribers/shared.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import { LANGUAGES } from '#platform/languages.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { jobAbandoned } from '#platform/server/jobs/jobs.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { startTestSender } from '#testing/worlds/sender.ts';

let server: TestServer;
let relay: TestSmtpServer;

beforeAll(async () => {
  server = await testServer();
  relay = await startSmtpServer();
  return () => relay.close();
});

const emailsTo = (email: string) =>
  relay.accepted.filter((receivedMessage) => receivedMessage.to[0] === email);

async function untilEmails(email: string, count: number) {
  while (emailsTo(email).length < count) await relay.waitForMessages(relay.accepted.length + 1);
  return Promise.all(
    emailsTo(email).map((receivedMessage) => PostalMime.parse(receivedMessage.source)),
  );
}

describe('system emails', () => {
  test('signing up sends a link that confirms the address', async () => {
    startTestSender(server.db, relay.url);
    await server.owner('ada@shop.example');
    const [received] = await untilEmails('ada@shop.example', 1);
    expect(received?.subject).toBe('Confirm your email address');
    expect(received?.from?.address).toBe('sendloom@localhost');
    const automatic = received?.headers.find(({ key }) => key === 'auto-submitted');
    expect(automatic?.value).toBe('auto-generated');
    expect(received?.text).toContain('ada@shop.example');
    const token = /\/verify-email\?token=([\w-]+)/.exec(received?.text ?? '')?.[1];
    expect(received?.html).toContain(`http://localhost:3000/verify-email?token=${token}`);
    const response = await server.client().post('/auth/api/verify-email', { token });
    expect(response.status).toBe(200);
  });

  test("a store customer's data request sends the owner a link to the subscriber", async () => {
    const { accountId } = await server.owner('request@shop.example');
    const event = { accountId, storeId: 1, title: 'Tea', email: 'bo+tea@mail.example' };
    const announce = () =>
      inTransaction(server.db, (tx) =>
        customerDataRequested.announce(tx, { ...event, request: 'bo 2026-03-01' }),
      );
    await announce();
    // The store platform sends the same webhook twice.
    await announce();
    startTestSender(server.db, relay.url);
    const inbox = await untilEmails('request@shop.example', 2);
    const requests = inbox.filter(({ subject }) => subject?.includes('bo+tea@mail.example'));
    expect(requests).toHaveLength(1);
    expect(requests[0]?.text).toContain('/subscribers?search=bo%2Btea%40mail.example');
  });

  test("a link's secret is encrypted and deleted once the email is sent", async () => {
    const { accountId, userId } = await server.owner('sealed@shop.example');
    const event = {
      kind: 'password_reset',
      email: 'sealed@shop.example',
      language: 'eng',
    } as const;
    const secret = 'a-secret-that-nobody-may-read-in-a-table';
    await inTransaction(server.db, (tx) =>
      systemEmailNeeded.announce(tx, { ...event, accountId, userId, secret }),
    );
    const storedSend = await sql<{ row: string }>`
      select single_sends::text as row from single_sends where account_id = ${accountId}`.execute(
      server.db,
    );
    expect(storedSend.rows.length).toBe(2);
    expect(storedSend.rows.map(({ row }) => row).join()).not.toContain(secret);
    startTestSender(server.db, relay.url);
    const inbox = await untilEmails('sealed@shop.example', 2);
    expect(inbox.map((mail) => mail.text).join()).toContain(`/reset-password?token=${secret}`);
    await expect
      .poll(async () => {
        const sealedRows = await sql`select 1 from single_sends where account_id = ${accountId}
          and (sealed_variables is not null or state <> 'accepted')`.execute(server.db);
        return sealedRows.rows.length;
      })
      .toBe(0);
  });

  test('a system email is in its recipient’s language, and right-to-left in Persian', async () => {
    const { accountId, userId } = await server.owner('many@shop.example');
    await inTransaction(server.db, async (tx) => {
      for (const language of LANGUAGES) {
        await systemEmailNeeded.announce(tx, {
          kind: 'password_reset',
          accountId,
          userId,
          email: 'many@shop.example',
          language,
          secret: `secret-${language}`,
        });
      }
    });
    startTestSender(server.db, relay.url);
    const inbox = await untilEmails('many@shop.example', 7);
    const resets = inbox.filter((mail) => mail.text?.includes('/reset-password'));
    expect(new Set(resets.map((reset) => reset.subject)).size).toBe(6);
    const persian = resets.find((reset) => reset.text?.includes('secret-fas'));
    expect(persian?.html).toContain('dir="rtl"');
    for (const email of resets) expect(email.text).not.toContain('{{');
  });

  test('a changed address or password is reported to the last confirmed address', async () => {
    startTestSender(server.db, relay.url);
    const owner = await server.owner('before@move.example');
    const url = `/client-api/api/users/${encodeId('user', owner.userId)}`;
    const tokenIn = (text = '') => /token=([\w-]+)/.exec(text)?.[1];
    const password = async (current: string, next: string) =>
      expect((await owner.post(`${url}/password`, { current, password: next })).status).toBe(200);
    // This change is not reported: an unconfirmed address may be a stranger's.
    await password('correct horse battery', 'soup of the day 7');
    await owner.patch(url, { email: 'mine@move.example' });
    await owner.get(`${url}/resend_verification_letter`);
    const [verification] = await untilEmails('mine@move.example', 1);
    expect(emailsTo('before@move.example')).toHaveLength(1);
    const token = tokenIn(verification?.text);
    await server.client().post('/auth/api/verify-email', { token });
    await password('soup of the day 7', 'soup of the day 8');
    const [, changed] = await untilEmails('mine@move.example', 2);
    expect(changed?.subject).toBe('Your password was changed');
    expect(changed?.text).toContain('The password of mine@move.example in Sendloom was changed.');
    expect(changed?.html).toContain('href="http://localhost:3000/auth/forgot-password"');
    // An address in capital letters counts as the same, so later emails still go to it.
    const capital = { email: 'Mine@move.example' };
    expect((await owner.patch(url, capital)).status).toBe(200);
    const lower = { email: 'mine@move.example' };
    expect((await owner.patch(url, lower)).status).toBe(200);
    await server.client().post('/auth/api/forgot-password', lower);
    await server.runJobs();
    const [, , forgotten] = await untilEmails('mine@move.example', 3);
    const reset = { token: tokenIn(forgotten?.text), password: 'soup of the day 9' };
    expect((await server.client().post('/auth/api/reset-password', reset)).status).toBe(200);
    const [, , , again] = await untilEmails('mine@move.example', 4);
    expect(again?.subject).toBe('Your password was changed');
    await owner.post('/auth/api/sign-in', { ...lower, password: reset.password });
    const change = { email: 'new.home@other.example', current: reset.password };
    expect((await owner.patch(url, change)).status).toBe(200);
    const inbox = await untilEmails('mine@move.example', 5);
    const lastEmail = inbox.at(-1);
    expect(lastEmail?.subject).toBe('The email address you sign in with was changed');
    expect(lastEmail?.text).toContain('from mine@move.example to n…@other.example.');
    expect(lastEmail?.text).toContain('or the operator of localhost:3000 for help.');
    expect(lastEmail?.html).toContain('href="http://localhost:3000/settings/user"');
    expect(`${lastEmail?.text}${lastEmail?.html}`).not.toContain('new.home');
  });

  test('changes to sign-in methods are reported in each language with all values', async () => {
    const { accountId, userId } = await server.owner('tongues@shop.example');
    const event = {
      accountId,
      userId,
      email: 'tongues@shop.example',
      newEmail: 'n…@b.example',
      provider: 'Acme',
    };
    await inTransaction(server.db, async (tx) => {
      for (const [i, language] of LANGUAGES.entries()) {
        const at = new Date(i);
        await signInChanged.announce(tx, { ...event, kind: 'email_changed', language, at });
        await signInChanged.announce(tx, { ...event, kind: 'password_changed', language, at });
        await signInChanged.announce(tx, { ...event, kind: 'passkey_added', language, at });
        await signInChanged.announce(tx, { ...event, kind: 'identity_added', language, at });
      }
    });
    startTestSender(server.db, relay.url);
    const [, ...inbox] = await untilEmails('tongues@shop.example', 25);
    expect(new Set(inbox.map((mail) => mail.subject)).size).toBe(24);
    for (const { text = '' } of inbox) {
      expect(text).not.toMatch(/\{\{| {2}/);
      expect(text).toMatch(/tongues@shop\.example/);
    }
    expect(inbox.filter(({ text }) => text?.includes('n…@b.example'))).toHaveLength(6);
    expect(inbox.filter(({ text }) => text?.includes('Acme'))).toHaveLength(6);
  });

  test('an invitation names its inviter and account, and its link opens the invitation', async () => {
    startTestSender(server.db, relay.url);
    const owner = await server.owner('host@shop.example');
    await owner.patch('/client-api/api/accounts', { title: 'Tea <Shop>' });
    await owner.post('/client-api/api/invitations', { email: 'guest@shop.example' });
    const [received] = await untilEmails('guest@shop.example', 1);
    expect(received?.subject).toBe('host@shop.example invites you to Tea <Shop>');
    expect(received?.html).toContain('Tea &lt;Shop&gt;');
    const token = /\/accept-invitation\?token=([\w.-]+)/.exec(received?.text ?? '')?.[1];
    const invitation = await server.client().post('/auth/api/invitation', { token });
    expect(invitation.body.data).toMatchObject({
      email: 'guest@shop.example',
      account: 'Tea <Shop>',
    });
    // The guest now has access to the account, so the notice of a new password names the guest.
    const password = 'soup of the day 9';
    await server.client().post('/auth/api/accept-invitation', { token, password });
    const { accountId, userId } = owner;
    const event = { accountId, userId, email: 'host@shop.example', newEmail: '', provider: '' };
    const at = new Date();
    await inTransaction(server.db, (tx) =>
      signInChanged.announce(tx, { ...event, kind: 'password_changed', language: 'eng', at }),
    );
    const notice = (await untilEmails('host@shop.example', 2)).at(-1);
    expect(notice?.text).toContain('who get its notifications: guest@shop.example');
    expect(notice?.html).toContain('href="http://localhost:3000/settings/users"');
  });

  test('an invitation to an untitled account names its owner and, if known, its website', async () => {
    startTestSender(server.db, relay.url);
    const owner = await server.owner('plain@shop.example');
    for (const language of LANGUAGES) {
      await owner.patch('/client-api/api/accounts', { language });
      await owner.post('/client-api/api/invitations', { email: `${language}@guests.example` });
      const [received] = await untilEmails(`${language}@guests.example`, 1);
      const content = `${received?.subject}\n${received?.text}`;
      expect(content).toContain('plain@shop.example');
      expect(content).not.toMatch(/ {2}| \.|\{\{/);
    }
    await owner.patch('/client-api/api/accounts', {
      language: 'eng',
      website: 'https://www.tea.example/shop',
    });
    await owner.post('/client-api/api/invitations', { email: 'later@guests.example' });
    const [received] = await untilEmails('later@guests.example', 1);
    expect(received?.subject).toBe('plain@shop.example invites you to tea.example');
  });

  test('the email about a new sending domain goes to the given address, and its link confirms the domain', async () => {
    startTestSender(server.db, relay.url);
    const owner = await server.owner('names@shop.example');
    await owner.post('/client-api/api/domains', { email: 'post@teahouse.example' });
    const [received] = await untilEmails('post@teahouse.example', 1);
    expect(received?.subject).toBe('Confirm teahouse.example as your sending domain');
    const token = /\/confirm-domain\?token=([\w.-]+)/.exec(received?.text ?? '')?.[1];
    const url = '/client-api/api/domains/confirm';
    const confirmation = await server.client().post(url, { token });
    expect(confirmation.body.data).toEqual({ domain_name: 'teahouse.example' });
  });

  test('each stop of a campaign is reported, with a button that opens the campaign', async () => {
    startTestSender(server.db, relay.url);
    const owner = await server.owner('halted@shop.example');
    await untilEmails('halted@shop.example', 1);
    const created = await owner.post('/client-api/api/campaigns', { title: 'Spring' });
    const { id } = created.body.data;
    const sourceId = decodeId('campaign', id) as number;
    const { accountId } = owner;
    for (const at of [1_000, 2_000]) {
      await inTransaction(server.db, (tx) =>
        messageHalted.announce(tx, {
          accountId,
          messageId: 1,
          kind: 'campaign',
          sourceId,
          at: new Date(at),
          reason: 'bounces_high',
          count: 20,
          of: 200,
          limit: 0.05,
        }),
      );
    }
    const [, ...inbox] = await untilEmails('halted@shop.example', 3);
    for (const email of inbox) {
      expect(email.html).toContain(`href="http://localhost:3000/campaigns/${id}"`);
      expect(email.text).toContain(`http://localhost:3000/campaigns/${id}\n`);
    }
  });

  test('a job abandoned because it killed its workers is reported to the owner once, by name', async () => {
    startTestSender(server.db, relay.url);
    const owner = await server.owner('killed@shop.example');
    await untilEmails('killed@shop.example', 1);
    const { accountId } = owner;
    const jobs = [
      { job: 'audience.bulk_act', afterKills: 'stop' },
      { job: 'groups.delete', afterKills: 'stop' },
      { job: 'stores.remove-customers', afterKills: 'next_day' },
      { job: 'subscribers.remove_field_values', afterKills: 'next_day' },
      { job: 'workflows.delete-data', afterKills: 'next_day' },
      { job: 'dashboard.fill_sample', afterKills: 'stop' },
      { job: 'dashboard.remove_sample', afterKills: 'next_day' },
    ] as const;
    for (const { job, afterKills } of [...jobs, ...jobs]) {
      await inTransaction(server.db, (tx) =>
        jobAbandoned.announce(tx, { accountId, job, afterKills, workKey: '{"n":1}' }),
      );
    }
    const [, ...inbox] = await untilEmails('killed@shop.example', 8);
    expect(inbox).toHaveLength(7);
    expect(inbox.map(({ subject }) => subject).sort()).toEqual([
      'A deletion takes longer: Deletion of a field’s values',
      'A deletion takes longer: Deletion of a workflow’s data',
      'A deletion takes longer: Removal of a disconnected store’s customers',
      'A deletion takes longer: Removal of sample data',
      'Sendloom could not finish: Change of many subscribers',
      'Sendloom could not finish: Deletion of a group with its subscribers',
      'Sendloom could not finish: Preparation of sample data',
    ]);
    for (const email of inbox) expect(email.text).not.toContain('{{');
  });

  test('a user with campaign notifications gets one email when a campaign is sent and one when it stops', async () => {
    startTestSender(server.db, relay.url);
    const owner = await server.owner('boss@shop.example');
    const settingsPath = '/client-api/api/user_notifications';
    expect((await owner.get(settingsPath)).body.data).toEqual({ campaigns: false });
    const created = await owner.post('/client-api/api/campaigns', { title: 'Spring' });
    const { id } = created.body.data;
    const event = {
      accountId: owner.accountId,
      messageId: 1,
      kind: 'campaign' as const,
      sourceId: decodeId('campaign', id) as number,
      at: new Date(1_000),
    };
    const { sourceId: campaignId, accountId, kind, at } = event;
    const finishedEvent = { accountId, kind, campaignId, messageIds: [1], at };
    const finish = () =>
      inTransaction(server.db, (tx) => broadcastFinished.announce(tx, finishedEvent));
    await finish();
    expect((await owner.patch(settingsPath, { campaigns: 'yes' })).status).toBe(422);
    expect((await owner.patch(settingsPath, { campaigns: true })).body.data).toEqual({
      campaigns: true,
    });
    expect((await owner.get(settingsPath)).body.data).toEqual({ campaigns: true });
    // An unconfirmed address gets only necessary emails.
    await finish();
    await server.db
      .updateTable('users')
      .set({ email_verified_at: new Date() })
      .where('email', '=', 'boss@shop.example')
      .execute();
    await finish();
    await finish();
    await inTransaction(server.db, (tx) =>
      messageHalted.announce(tx, {
        ...event,
        reason: 'bounces_high',
        count: 20,
        of: 200,
        limit: 0.05,
      }),
    );
    const inbox = await untilEmails('boss@shop.example', 3);
    const campaignEmails = inbox.filter((email) => email.text?.includes(`/campaigns/${id}`));
    expect(
      campaignEmails.map((email) => email.html?.includes('Your campaign was sent')).sort(),
    ).toEqual([false, true]);
  });

  test('a domain problem that needs action is reported once, and a watched domain is not reported', async () => {
    startTestSender(server.db, relay.url);
    const { accountId } = await server.owner('health@shop.example');
    const sinceTime = '2026-06-01T10:00:00.000Z';
    const event = { accountId, domain: 'tea.example', mailbox: MAILBOXES.yahoo };
    const announce = (level: 'watch' | 'act') =>
      inTransaction(server.db, (tx) =>
        healthChanged.announce(tx, {
          ...event,
          state: level,
          causes: [{ cause: 'complaints', level, since: sinceTime, count: 15, of: 2_000 }],
        }),
      );
    await announce('watch');
    await announce('act');
    await announce('act');
    const [, alert] = await untilEmails('health@shop.example', 2);
    expect(alert?.subject).toBe('Emails from tea.example have a problem at Yahoo');
    expect(alert?.text).toContain('tea.example, Yahoo: too many spam complaints (0.75%).');
    expect(alert?.text).toContain('http://localhost:3000/settings/deliverability');
    // Several unmet requirements are reported in one email.
    const unmet = { cause: 'compliance', level: 'act', since: sinceTime, count: 0, of: 0 } as const;
    await inTransaction(server.db, (tx) =>
      healthChanged.announce(tx, {
        ...{ ...event, mailbox: MAILBOXES.gmail, state: 'act' },
        causes: ['spf', 'dkim'].map((detail) => ({ ...unmet, detail })),
      }),
    );
    const [, , requirements] = await untilEmails('health@shop.example', 3);
    expect(requirements?.text).toContain('Gmail considers requirements for senders unmet.');
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from single_sends
      where account_id = ${accountId}`.execute(server.db);
    expect(rows[0]?.count).toBe(3);
  });

  test('autopilot suggestions and waiting campaigns are reported to the owner once', async () => {
    startTestSender(server.db, relay.url);
    const { accountId } = await server.owner('pilot@shop.example');
    const lane = { accountId, domain: 'tea.example', mailbox: MAILBOXES.gmail };
    const slowMove = { ...lane, move: 'slow', cause: 'deferrals', count: 400, of: 1_900 } as const;
    const narrow = { ...slowMove, move: 'narrow', cause: 'opens' } as const;
    const at = new Date('2026-06-01T10:00:00Z');
    const announce = (move: typeof slowMove | typeof narrow, state: 'done' | 'suggested') =>
      inTransaction(server.db, (tx) =>
        pilotMoved.announce(tx, { ...move, moveId: 1, toPerHour: 2_000, state, at }),
      );
    const hold = () =>
      inTransaction(server.db, (tx) =>
        pilotHolds.announce(tx, { ...lane, campaignId: 7, messageId: 1, waiting: 1_200 }),
      );
    await announce(slowMove, 'suggested');
    await announce(slowMove, 'suggested');
    // Moves that need no decision are reported only to users who enabled campaign notifications.
    await announce(narrow, 'done');
    await hold();
    await hold();
    const inbox = await untilEmails('pilot@shop.example', 3);
    const suggestion = inbox.find(({ subject }) => subject?.includes('suggests'));
    expect(suggestion?.subject).toBe(
      'The autopilot suggests a limit for emails from tea.example to Gmail',
    );
    expect(suggestion?.text).toContain(
      'tea.example, Gmail: 400 of 1,900 emails were deferred, so the limit is 2,000 an hour.',
    );
    const waiting = inbox.find(({ subject }) => subject?.includes('three days'));
    expect(waiting?.text).toContain('where the autopilot limits sending: 1,200.');
    expect(waiting?.text).toContain(`/campaigns/${encodeId('campaign', 7)}`);
    await sql`update users set has_campaign_notices = true, email_verified_at = now()
      where email = 'pilot@shop.example'`.execute(server.db);
    await announce(narrow, 'done');
    const [limited] = (await untilEmails('pilot@shop.example', 4)).filter(
      ({ subject }) => subject === 'The autopilot limits emails from tea.example to Gmail',
    );
    expect(limited?.text).toContain('so only engaged subscribers receive emails.');
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from single_sends
      where account_id = ${accountId}`.execute(server.db);
    expect(rows[0]?.count).toBe(4);
  });

  test('the owner is notified once, in their language, before an API token expires, and again after a rotation', async () => {
    startTestSender(server.db, relay.url);
    const { accountId, userId } = await server.owner('keys@shop.example');
    await sql`update users set language = 'lit' where id = ${userId}`.execute(server.db);
    const expiresAt = new Date('2031-03-04T12:00:00Z');
    const announce = (expiresAt: Date) =>
      inTransaction(server.db, (tx) =>
        tokenExpiring.announce(tx, { accountId, tokenId: 1, title: 'Parduotuvė', expiresAt }),
      );
    await announce(expiresAt);
    await announce(expiresAt);
    const [, notice] = await untilEmails('keys@shop.example', 2);
    expect(notice?.subject).toMatch(/^API prieigos raktas „Parduotuvė“ nustos galioti 2031 m\./);
    expect(notice?.text).toContain('http://localhost:3000/settings/tokens');
    expect(notice?.text).not.toContain('{{');
    const countEmails = async () => {
      const { rows } = await sql<{ count: number }>`select count(*)::int as count from single_sends
        where account_id = ${accountId}`.execute(server.db);
      return rows[0]?.count;
    };
    expect(await countEmails()).toBe(2);
    await announce(new Date('2032-03-04T12:00:00Z'));
    expect(await countEmails()).toBe(3);
  });

  test('the first use of a token or assistant from a new country is reported to its user and to the account owner', async () => {
    startTestSender(server.db, relay.url);
    const { accountId, userId } = await server.owner('abroad@shop.example');
    const { userId: cook } = await server.owner('cook@shop.example');
    await server.db
      .insertInto('memberships')
      .values({ account_id: accountId, user_id: cook, created_at: new Date() })
      .execute();
    await sql`update users set language = 'swe' where id = ${cook}`.execute(server.db);
    const event = { accountId, id: 1, title: 'Till', country: 'NL', ip: '193.0.6.139' };
    const at = new Date('2031-03-04T12:00:00Z');
    const announce = (kind: 'token' | 'assistant', asUser: number) =>
      inTransaction(server.db, (tx) =>
        usedFromNewCountry.announce(tx, { ...event, kind, userId: asUser, at }),
      );
    await announce('token', cook);
    await announce('assistant', userId);
    const emails = await untilEmails('abroad@shop.example', 3);
    const withLink = (path: string) =>
      emails.find(({ text }) => text?.includes(`http://localhost:3000/settings/${path}`));
    const notice = withLink('tokens');
    expect(notice?.subject).toBe('The API token “Till” was used from a new country: Netherlands');
    expect(notice?.text).toContain('“Till”: Netherlands, IP address 193.0.6.139, March 4, 2031 at');
    expect(withLink('assistants')?.subject).toBe('“Till” was used from a new country: Netherlands');
    const swedish = (await untilEmails('cook@shop.example', 2)).find(({ subject }) =>
      subject?.includes('Till'),
    );
    expect(swedish?.subject).toBe('API-nyckeln ”Till” användes från ett nytt land: Nederländerna');
    expect(swedish?.text).not.toContain('{{');
  });
});
