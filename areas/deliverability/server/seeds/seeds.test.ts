// Seed mailboxes, tested with an IMAP server: copies of campaigns are found in them and excluded
// from all statistics of the campaign.
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { allowPrivateAddresses } from '#platform/server/outgoing/outgoing-address.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import { type TestImap, testImap } from '#testing/servers/imap-server.ts';
import {
  CAMPAIGNS,
  campaignShop,
  createReadyCampaign,
  waitForCampaign,
} from '#testing/worlds/campaign-shop.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import type { Signals } from '../../signals-contract.ts';
import { findCopies, openMailbox, isEncryptedDelivery } from './imap.ts';
import { configureSeeds, listPlacements, listSeeds, searchForCopies } from './seeds.ts';

const API = '/client-api/api/deliverability';
const LOGIN = { user: 'seed@mail.example', password: 'app-password' };
let server: TestServer;
let relay: TestSmtpServer;

beforeAll(async () => {
  server = await testServer();
  relay = await startSmtpServer();
  return () => relay.close();
});
beforeEach(() => {
  allowPrivateAddresses(true);
  return () => {
    allowPrivateAddresses(false);
    clock.reset();
  };
});

async function startMailbox(): Promise<TestImap> {
  const imap = await testImap(LOGIN);
  configureSeeds({ ca: imap.ca });
  onTestFinished(() => imap.close());
  return imap;
}

const createSeed = ({ host, port }: TestImap, changes: object = {}) => ({
  ...{ email: LOGIN.user, host, port, password: LOGIN.password, ...changes },
});

const HOP = 'Received: from relay.example (relay.example [192.0.2.1])';

test('a campaign sends each seed a copy; the copy is found in the spam folder and excluded from all statistics', async () => {
  const imap = await startMailbox();
  const { owner, groupId } = await campaignShop(server, 3);
  const readEvidence = async (): Promise<Signals> => (await owner.get(`${API}/signals`)).body.data;
  const response = await owner.post(`${API}/seeds`, createSeed(imap));
  expect(response.body.data).toMatchObject({ email: LOGIN.user, login: LOGIN.user, fault: null });
  expect(JSON.stringify(response.body)).not.toContain(LOGIN.password);
  expect((await owner.post(`${API}/seeds`, createSeed(imap))).body.code).toBe('seed_exists');
  const id = await createReadyCampaign(owner, groupId);
  await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: null });
  await server.runJobs();
  startTestSender(server.db, relay.url);
  await waitForCampaign(owner, id, (campaign) => campaign.delivery?.state === 'finished');
  await server.runJobs();
  // The five emails: the owner's verification email, three to recipients, and the copy to the seed.
  await relay.waitForMessages(5);
  const copies = relay.accepted.filter(({ to }) => to.includes(LOGIN.user));
  expect(copies).toHaveLength(1);
  const mark = /^X-Sendloom-Copy: (\S+)/m.exec(copies[0]?.source ?? '')?.[1];
  expect(mark).toBeDefined();
  expect((await readEvidence()).placements[0]?.copies).toMatchObject([{ place: null }]);
  const headers = `Message-ID: <a@b.example>\r\nX-Sendloom-Copy: ${mark}\r\n${HOP} by mx with ESMTPS id 1`;
  imap.folders.get('Spam')?.emails.push({ headers });
  const readPlacement = async (client = owner) =>
    (await client.get(`${CAMPAIGNS}/${id}/placement`)).body;
  const noPlacements = { inbox: 0, category: 0, spam: 0, missing: 0, unknown: 0, waiting: 0 };
  expect((await readPlacement()).data).toEqual({
    placements: [{ mailbox: 'other', ...noPlacements, waiting: 1 }],
    gmail: null,
  });
  // The mailbox is not searched before it is due.
  await searchForCopies(server.db, owner.accountId, AbortSignal.timeout(60_000));
  expect((await readEvidence()).placements[0]?.copies).toMatchObject([{ place: null }]);
  clock.freeze(new Date(Date.now() + 31 * 60_000));
  await searchForCopies(server.db, owner.accountId, AbortSignal.timeout(60_000));
  // The real time is used again, because the session would have expired.
  clock.reset();
  expect((await readEvidence()).placements).toMatchObject([
    { copies: [{ email: LOGIN.user, place: 'spam', folder: 'Spam', is_encrypted: true }] },
  ]);
  expect((await readPlacement()).data.placements).toEqual([
    { mailbox: 'other', ...noPlacements, spam: 1 },
  ]);
  expect(imap.commands.filter((command) => /^(STORE|COPY|MOVE|SELECT)/.test(command))).toEqual([]);
  const campaign = (await owner.get(`${CAMPAIGNS}/${id}`)).body.data;
  expect(campaign).toMatchObject({ delivery: { audience: 3, accepted: 3 }, figures: { sent: 3 } });
  const otherOwner = await server.owner();
  expect((await readPlacement(otherOwner)).data).toBeUndefined();
  const seedUrl = `${API}/seeds/${response.body.data.id}`;
  expect((await otherOwner.delete(seedUrl, {})).status).toBe(404);
  expect((await owner.delete(seedUrl, {})).status).toBe(200);
  expect(await readEvidence()).toMatchObject({ seeds: [], placements: [] });
});

test('a copy that is not found is reported as missing after six hours, or as unknown if the mailbox is inaccessible', async () => {
  const imap = await startMailbox();
  const owner = await server.owner();
  const { accountId } = owner;
  await owner.post(`${API}/seeds`, createSeed(imap));
  const seed = await server.db
    .selectFrom('seed_mailboxes')
    .select('id')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  const now = clock.now();
  const copy = (messageId: number) =>
    server.db
      .insertInto('seed_copies')
      .values({
        ...{ account_id: accountId, message_id: messageId, seed_id: seed.id, mark: 'x' },
        ...{ sent_at: now, look_at: now },
      })
      .execute();
  const listPlaces = async () =>
    // The placements are read without a session, which expires during the test.
    (await listPlacements(server.db, accountId)).flatMap(({ copies }) =>
      copies.map(({ place }) => place),
    );
  const searchAfter = async (hours: number) => {
    clock.freeze(new Date(now.getTime() + hours * 3_600_000));
    await searchForCopies(server.db, accountId, AbortSignal.timeout(60_000));
    return listPlaces();
  };
  await copy(1);
  expect(await searchAfter(0)).toEqual([null]);
  expect(await searchAfter(7)).toEqual(['missing']);
  await server.db
    .updateTable('seed_copies')
    .set({ look_at: now, place: null, settled_at: null })
    .where('account_id', '=', accountId)
    .execute();
  await imap.close();
  expect(await searchAfter(7)).toEqual(['unknown']);
  expect((await listSeeds(server.db, accountId))[0]?.fault).toBe('unreachable');
});

describe('a login', () => {
  test('a seed is not added if its login is refused, unreachable, invalid or in a private network', async () => {
    const imap = await startMailbox();
    const owner = await server.owner();
    const add = async (changes: object) =>
      (await owner.post(`${API}/seeds`, createSeed(imap, changes))).body;
    expect(await add({ password: 'wrong' })).toMatchObject({ code: 'seed_refused' });
    expect(await add({ host: 'no-such-host.invalid' })).toMatchObject({ code: 'seed_unreachable' });
    expect((await add({ host: 'bad host' })).code).toBe('invalid');
    allowPrivateAddresses(false);
    const commandCount = imap.commands.length;
    for (const host of ['localhost', '127.0.0.1']) {
      expect(await add({ host })).toMatchObject({ code: 'seed_unreachable' });
    }
    expect(imap.commands.length).toBe(commandCount);
    expect((await owner.get(`${API}/signals`)).body.data.seeds).toEqual([]);
  });

  test('a login with an endless response is aborted', async () => {
    const imap = await startMailbox();
    imap.isEndless = true;
    const { host, port, ca } = imap;
    const login = { host, port, login: LOGIN.user, password: LOGIN.password };
    await expect(openMailbox(login, { ca })).rejects.toMatchObject({ fault: 'unreachable' });
  });
});

test('the Gmail tab that contains a copy is detected', async () => {
  const imap = await startMailbox();
  imap.isGmail = true;
  const createEmail = (mark: string, category?: string) => ({
    headers: `Message-ID: <${mark}@b.example>\r\nX-Sendloom-Copy: ${mark}`,
    ...(category && { category }),
  });
  imap.folders.get('INBOX')?.emails.push(createEmail('one', 'promotions'));
  const login = {
    ...{ host: imap.host, port: imap.port },
    login: LOGIN.user,
    password: LOGIN.password,
  };
  const foundCopies = await findCopies(login, ['one', 'two'], { ca: imap.ca });
  expect([...foundCopies]).toEqual([
    ['one', { place: 'category', folder: 'promotions', isEncrypted: null }],
  ]);
});

test.each<[string, string[], boolean | null]>([
  ['no Received field', [], null],
  ['TLS in the protocol', [`${HOP.slice(10)} by mx with ESMTPS id 1`], true],
  ['a TLS version', [`${HOP.slice(10)} by mx with ESMTP (version=TLS1_3 cipher=X)`], true],
  ['plain SMTP', [`${HOP.slice(10)} by mx with ESMTP id 1; Tue`], false],
  [
    'TLS at the outer hop, after a field of an inner hop',
    ['by 10.1.1.1 with SMTP id x', `${HOP.slice(10)} by mx with ESMTPS`],
    true,
  ],
])(
  'the Received fields show whether an email was encrypted: $0, $2',
  (_, receivedHeaders, expected) => {
    expect(isEncryptedDelivery(receivedHeaders)).toBe(expected);
  },
);
