// The forecast of an import predicts which groups the import creates or adds members to. It also
// names doubtful addresses.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDns, testDns } from '#testing/servers/dns-server.ts';
import {
  type TestClient,
  type TestOwner,
  type TestServer,
  testServer,
} from '#testing/setup/server.ts';

type ForecastGroup = { title: string; is_new: boolean; people_count: number };

let server: TestServer;
let dns: TestDns;

beforeAll(async () => {
  dns = await testDns();
  server = await testServer({ DNS_SERVERS: dns.address });
});
afterAll(() => dns.close());

const attestedConsent = { attested: true, channels: ['email', 'sms'] };

async function paste(account: TestClient, csv: string) {
  const path = '/client-api/api/subscribers/text_import';
  const response = await account.post(path, { subscribers: csv });
  expect(response.status, response.text).toBe(200);
  return response.body.data;
}

const toColumns = (preview: { columns: { column: number; target: string }[] }) =>
  preview.columns.map(({ column, target }) => ({ column, target }));

async function forecast(account: TestClient, id: string, body: object) {
  const path = `/client-api/api/imports/${id}/forecast`;
  const response = await account.post(path, body);
  expect(response.status, response.text).toBe(200);
  await server.runJobs();
  const { data } = (await account.get(path)).body;
  expect(data.state).toBe('finished');
  return data;
}

async function importFile(account: TestClient, csv: string, more: object = {}) {
  const preview = await paste(account, csv);
  return start(account, preview, more);
}

async function start(account: TestClient, preview: { source: string; columns: [] }, more: object) {
  const response = await account.post('/client-api/api/subscribers/start_import', {
    source: preview.source,
    columns: toColumns(preview),
    consent: attestedConsent,
    ...more,
  });
  expect(response.status, response.text).toBe(200);
  await server.runJobs();
}

/** Counts the members of each group. */
async function memberCounts(account: TestOwner): Promise<Map<string, number>> {
  const rows = await server.db
    .selectFrom('groups as g')
    .leftJoin('group_members as m', (join) =>
      join.onRef('m.account_id', '=', 'g.account_id').onRef('m.group_id', '=', 'g.id'),
    )
    .select(['g.title', (eb) => eb.fn.count<number>('m.subscriber_id').as('count')])
    .where('g.account_id', '=', account.accountId)
    .groupBy(['g.id', 'g.title'])
    .execute();
  return new Map(rows.map((row) => [row.title, Number(row.count)]));
}

test('a forecast predicts how many members the import adds to existing and new groups', async () => {
  const account = await server.owner();
  await importFile(
    account,
    'Email,Phone,Tags\nold@g.example,,VIP\nalso@g.example,,"VIP, Quiet"\n,+37060000001,Quiet\n',
  );
  const before = await memberCounts(account);
  const preview = await paste(
    account,
    [
      'Email,Phone,Tags,List',
      // The subscriber is already a member, and a second column names the group again.
      'old@g.example,,vip,VIP',
      'new@g.example,,"VIP, Spring",Spring',
      // A rejected row adds no member, and a group that only it names is not created.
      'nonsense,,Ghosts,',
      // The groups of a repeated row count once each.
      'NEW@g.example,,"spring, Autumn",',
      ',+37060000001,"Quiet, Autumn",',
      'plain@g.example,,,',
    ].join('\n'),
  );
  const group_titles = ['Everybody', ' quiet '];
  const data = await forecast(account, preview.id, { columns: toColumns(preview), group_titles });
  const groups: ForecastGroup[] = data.groups;
  expect(groups).toEqual([
    { title: 'Everybody', is_new: true, people_count: 4 },
    { title: 'Quiet', is_new: false, people_count: 3 },
    { title: 'Autumn', is_new: true, people_count: 2 },
    { title: 'Spring', is_new: true, people_count: 1 },
    { title: 'VIP', is_new: false, people_count: 1 },
  ]);
  expect(await memberCounts(account)).toEqual(before);
  await start(account, preview, { new_tags: group_titles });
  const after = await memberCounts(account);
  expect([...after.keys()].sort()).toEqual(groups.map((group) => group.title).sort());
  for (const { title, is_new, people_count } of groups) {
    expect(before.has(title), title).toBe(!is_new);
    expect((after.get(title) ?? 0) - (before.get(title) ?? 0), title).toBe(people_count);
  }
});

test('a renamed group has its new title in the forecast and after the import', async () => {
  const account = await server.owner();
  await importFile(account, 'Email,Tags\nold@g.example,Customers\n');
  const csv =
    'CONTACT ID,EMAIL,SMS,ADDED_TIME,MODIFIED_TIME,_listIds\n' +
    '1,old@g.example,,2024-03-05,2024-03-05,"[2,15]"\n' +
    '2,new@g.example,,2024-03-05,2024-03-05,[2]\n';
  const preview = await paste(account, csv);
  const group_names = [
    { from: 'BREVO list 2', to: ' Newsletter ' },
    // This group gets the title of an existing one and is merged with it.
    { from: 'Brevo list 15', to: 'customers' },
  ];
  const request = { columns: toColumns(preview), group_names };
  expect((await forecast(account, preview.id, request)).groups).toEqual([
    { title: 'Newsletter', is_new: true, people_count: 2 },
    { title: 'Customers', is_new: false, people_count: 0 },
  ]);
  await start(account, preview, { group_names });
  expect(await memberCounts(account)).toEqual(
    new Map([
      ['Customers', 1],
      ['Newsletter', 2],
    ]),
  );
  const path = `/client-api/api/imports/${(await paste(account, csv)).id}/forecast`;
  const response = await account.post(path, { ...request, group_names: [{ from: 'a', to: '' }] });
  expect(response.status).toBe(422);
});

test("a forecast ignores another account's groups and refuses invalid titles", async () => {
  const otherOwner = await server.owner();
  await importFile(otherOwner, 'Email,Tags\nold@g.example,Theirs\n');
  const account = await server.owner();
  const preview = await paste(account, 'Email,Tags\nold@g.example,Theirs\n');
  const request = { columns: toColumns(preview) };
  expect((await forecast(account, preview.id, request)).groups).toEqual([
    { title: 'Theirs', is_new: true, people_count: 1 },
  ]);
  const path = `/client-api/api/imports/${preview.id}/forecast`;
  for (const group_titles of [['x'.repeat(256)], [''], ['a\nb'], 'VIP']) {
    const response = await account.post(path, { ...request, group_titles });
    expect(response.status, JSON.stringify(group_titles)).toBe(422);
  }
  expect((await otherOwner.post(path, request)).status).toBe(404);
});

test('an import cannot have a column for the full name and another one for the first name', async () => {
  const account = await server.owner();
  const preview = await paste(account, 'Email,Name,Given\na@n.example,Ada Lovelace,Ada\n');
  expect(toColumns(preview)[1]).toEqual({ column: 1, target: 'fullname' });
  const response = await account.post('/client-api/api/subscribers/start_import', {
    source: preview.source,
    columns: [
      { column: 0, target: 'email' },
      { column: 1, target: 'fullname' },
      { column: 2, target: 'firstname' },
    ],
    consent: attestedConsent,
  });
  expect(response.status).toBe(422);
  await start(account, preview, {});
  const [ada] = await server.db
    .selectFrom('subscribers')
    .select(['firstname', 'lastname'])
    .where('account_id', '=', account.accountId)
    .execute();
  expect(ada).toEqual({ firstname: 'Ada', lastname: 'Lovelace' });
});

test('a forecast names misspelled, disposable and role addresses, which the import leaves unchanged', async () => {
  const account = await server.owner();
  dns.zone.set('mailinator.com', { MX: ['10 mail.mailinator.com'] });
  const csv =
    'Email\nada@gmial.com\nbea@gmial.com\nInfo@w.example\ncy@mailinator.com\ndee@w.example\n';
  const preview = await paste(account, csv);
  const { checks } = await forecast(account, preview.id, { columns: toColumns(preview) });
  expect(checks).toEqual([
    {
      reason: 'typo:gmial.com',
      count: 2,
      message: 'Addresses at gmial.com: did they mean gmail.com?',
    },
    { reason: 'disposable', count: 1, message: expect.stringContaining('Disposable') },
    { reason: 'role', count: 1, message: expect.stringContaining('info@') },
  ]);
  await start(account, preview, {});
  const rows = await server.db
    .selectFrom('subscribers')
    .select('email_key')
    .where('account_id', '=', account.accountId)
    .execute();
  expect(rows.map(({ email_key }) => email_key)).toContain('ada@gmial.com');
  expect(rows).toHaveLength(5);
});

test('a forecast names domains that accept no email, but not domains without a DNS answer', async () => {
  const account = await server.owner();
  dns.zone.set('open.shop', { MX: ['10 mx.open.shop'] });
  dns.zone.set('closed.shop', { MX: ['0 .'] });
  const csv =
    'Email\nada@open.shop\nbea@closed.shop\ncy@Closed.shop\ndee@gone.shop\neve@w.example\nfay@gmail.com\n';
  const preview = await paste(account, csv);
  const { checks } = await forecast(account, preview.id, { columns: toColumns(preview) });
  expect(checks).toEqual([
    {
      reason: 'unreachable:closed.shop',
      count: 2,
      message: 'Addresses at closed.shop: the domain accepts no email.',
    },
    expect.objectContaining({ reason: 'unreachable:gone.shop', count: 1 }),
  ]);
  // Stored results are used if the resolver is silent.
  dns.isSilent = true;
  const laterUpload = await paste(account, 'Email\nbea@closed.shop\ncy@unheard.shop\n');
  const laterForecast = await forecast(account, laterUpload.id, {
    columns: toColumns(laterUpload),
  });
  dns.isSilent = false;
  expect(laterForecast.checks).toMatchObject([{ reason: 'unreachable:closed.shop', count: 1 }]);
});
