// Tests rights that depend on the object or the input of a call; the handler of the call checks them.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import {
  createBlock,
  createEmailDocument,
  createSection,
} from '#areas/content/document-factory.ts';
import { SMS_CAMPAIGNS_PATH as SMS } from '#areas/sms/campaign-contract.ts';
import type { Right } from '#platform/rights.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import { type TestClient, testServer } from './setup/server.ts';
import { FORMS, publishForm } from './servers/form-site.ts';
import { CAMPAIGNS, campaignShop, HTML, createReadyCampaign } from './worlds/campaign-shop.ts';
import { EMAIL, workflowBuilder } from './worlds/workflow-builder.ts';

const server = await testServer();
const API = '/client-api/api';

/** Creates a client that uses a token with these rights. */
async function clientWith(owner: TestClient, scopes: readonly Right[]) {
  const input = { title: 'Limited', validity_days: null, scopes };
  const { token } = (await owner.post(`${API}/tokens`, input)).body.data;
  const headers = { authorization: `Bearer ${token}` };
  const client = server.client();
  return {
    get: (url: string) => client.get(url, headers),
    put: (url: string, body: object) => client.put(url, body, headers),
    post: (url: string, body: object) => client.post(url, body, headers),
    patch: (url: string, body: object) => client.patch(url, body, headers),
    delete: (url: string, body: object) => client.delete(url, body, headers),
  };
}

const missing = (right: Right) => ({ status: 403, body: { code: 'missing_right', right } });

test('previews and searches show no subscribers to a caller without the right to see them', async () => {
  const { owner, ids, groupId } = await campaignShop(server, 2);
  const id = await createReadyCampaign(owner, groupId);
  const author = await clientWith(owner, ['read', 'drafts']);
  const names = /Name [12]|person[12]@/;
  const html = '<p>Dear {{ firstname }} {{ email }}</p>';
  const subscriber = encodeId('subscriber', ids[0] as number);
  for (const [url, body] of [
    [`${CAMPAIGNS}/${id}/preview`],
    [`${CAMPAIGNS}/${id}/plain_preview`],
    [`${CAMPAIGNS}/${id}/preview`, { editor: 'html', html }],
    [`${API}/sms/preview`, { text: 'Hi {{ firstname }}' }],
  ] as const) {
    const visibleResponse = body ? await author.post(url, body) : await author.get(url);
    expect(visibleResponse.status, `${url} ${visibleResponse.text}`).toBe(200);
    expect(visibleResponse.text).not.toMatch(names);
    const unrestrictedResponse = body ? await owner.post(url, body) : await owner.get(url);
    if (!url.includes('sms')) expect(unrestrictedResponse.text, url).toMatch(names);
    const filteredResponse = body
      ? await author.post(url, { ...body, subscriber })
      : await author.get(`${url}?subscriber=${subscriber}`);
    expect(filteredResponse).toMatchObject(missing('people'));
  }
  const listKinds = async (client: Pick<TestClient, 'get'>) =>
    (await client.get(`${API}/search?search=person1`)).body.data.map(
      ({ kind }: { kind: string }) => kind,
    );
  expect(await listKinds(owner)).toContain('subscriber');
  expect(await listKinds(author)).toEqual([]);
});

test('changing an active workflow requires the right to send, but changing a draft does not', async () => {
  const owner = await server.owner();
  const workflows = workflowBuilder(server, owner);
  const start = await workflows.group('Start');
  const tree = await workflows.workflow({ triggerType: 'LIST_ADD', listId: start.id });
  const step = await tree.add(tree.trigger, 'EMAIL', EMAIL);
  await workflows.write(step);
  const author = await clientWith(owner, ['read', 'drafts']);
  const content = `${API}/workflow_steps/${step}/content`;
  const save = async () => {
    const { revision } = (await author.get(content)).body.data;
    const html = `<p>${revision}</p><a href="{{ unsubscribe_link }}">Leave</a>`;
    return author.put(content, { revision, editor: 'html', html });
  };
  const rename = () => author.patch(`${tree.at}/steps/${step}/data`, { data: EMAIL });
  expect([(await save()).status, (await rename()).status]).toEqual([200, 200]);
  const activation = await author.patch(`${tree.at}/activate`, {});
  expect(activation).toMatchObject({ status: 403, body: { code: 'approval_requested' } });
  await tree.activate();
  expect(await save()).toMatchObject(missing('send'));
  expect(await rename()).toMatchObject(missing('send'));
  expect(await author.delete(`${tree.at}/steps/${step}`, {})).toMatchObject(missing('send'));
});

test('changing a transactional email requires the right to send transactional messages', async () => {
  const owner = await server.owner();
  const { id } = (await owner.post(`${API}/transactional`, { title: 'Receipt' })).body.data;
  const url = `${API}/transactional/${id}/content`;
  const { revision } = (await owner.get(url)).body.data;
  const body = { revision, editor: 'text', plain_text: 'Thank you' };
  const author = await clientWith(owner, ['read', 'drafts']);
  expect(await author.put(url, body)).toMatchObject(missing('transactional'));
  const shop = await clientWith(owner, ['read', 'drafts', 'transactional']);
  expect((await shop.put(url, body)).status).toBe(200);
});

test('copying a campaign to another account requires the right to draft in that account', async () => {
  const { owner, groupId } = await campaignShop(server, 1);
  const otherOwner = await server.owner();
  await server.db
    .insertInto('memberships')
    .values({
      user_id: owner.userId,
      account_id: otherOwner.accountId,
      created_at: new Date(),
      denied: ['drafts'],
    })
    .execute();
  const id = await createReadyCampaign(owner, groupId);
  const copy = () =>
    owner.post(`${CAMPAIGNS}/${id}/copy_to_account`, {
      account: encodeId('account', otherOwner.accountId),
    });
  expect(await copy()).toMatchObject(missing('drafts'));
  await server.db
    .updateTable('memberships')
    .set({ denied: ['send'] })
    .where('account_id', '=', otherOwner.accountId)
    .where('user_id', '=', owner.userId)
    .execute();
  expect((await copy()).status).toBe(200);
});

const ONE_TIME = { when: 'time', past: 'now', window: 'default', spread_hours: null };

test('changing a recurring campaign requires the right to send, because copies are sent automatically', async () => {
  const { owner, groupId } = await campaignShop(server, 1);
  const author = await clientWith(owner, ['read', 'drafts', 'people']);
  const email = await createReadyCampaign(owner, groupId);
  const sms = (await owner.post(SMS, { title: 'Weekly', text: 'Hi' })).body.data.id;
  const url = `${CAMPAIGNS}/${email}`;
  const experiment = {
    ...{ metric: 'opens', duration_hours: 4, test_share: 20, decision: 'automatic' },
    ...{ fallback: 'control', variants: [{ subject: 'A' }, { subject: 'B' }] },
  };
  const changes = async () => {
    const { revision } = (await owner.get(url)).body.data;
    const text = (await owner.get(`${SMS}/${sms}`)).body.data.revision;
    const content = { revision, editor: 'html', html: HTML };
    return [
      await author.patch(url, { revision, subject: 'Other' }),
      await author.put(`${url}/content`, content),
      await author.post(`${url}/tags/set`, { tags_arr: [groupId] }),
      await author.post(`${url}/filters/set`, { filters_arr: [] }),
      await author.delete(`${url}/exclude_tags/all`, {}),
      await author.put(`${url}/timing`, { timing: ONE_TIME }),
      await author.put(`${url}/experiment`, experiment),
      await author.post(`${url}/forecast/exclusion`, { months: 12 }),
      await author.patch(`${SMS}/${sms}`, { revision: text, text: 'Other' }),
    ];
  };
  const statuses = async () => (await changes()).map(({ status, body }) => body.code ?? status);
  const statusesBefore = await statuses();
  expect(statusesBefore.filter((code) => code === 'missing_right')).toEqual([]);
  const rule = { every: 'week', interval: 1, weekdays: [1], time: '10:00' };
  for (const [table, id] of [
    ['campaign_series', decodeId('campaign', email)],
    ['sms_series', decodeId('sms', sms)],
  ] as const) {
    await sql`insert into ${sql.table(table)}
      (account_id, campaign_id, rule, zone, starts_on, created_at, modified_at)
      values (${owner.accountId}, ${id as number}, ${JSON.stringify(rule)}, 'Europe/Oslo',
        '2026-01-01', now(), now())`.execute(server.db);
  }
  expect(await statuses()).toEqual(statusesBefore.map(() => 'missing_right'));
  expect(
    (
      await author.patch(url, {
        revision: (await owner.get(url)).body.data.revision,
        title: 'Named',
      })
    ).status,
  ).toBe(200);
});

test("changing a segment's conditions requires the right to send while they determine the recipients of messages", async () => {
  const { owner, groupId } = await campaignShop(server, 2);
  const author = await clientWith(owner, ['read', 'drafts']);
  const filters = `${API}/filters`;
  const conditions = (domain: string) => `email,ends,${domain},1,and,and,`;
  const create = async () => {
    const segment = await owner.post(filters, { title: 'S', conditions: conditions('x.example') });
    return segment.body.data.id as string;
  };
  const change = (id: string, domain: string) =>
    author.patch(`${filters}/${id}`, { conditions: conditions(domain) });
  const refusal = (kind: string) => ({
    status: 403,
    body: { code: 'segment_in_force', right: 'send', used_by: [{ kind }] },
  });

  const campaignSegment = await create();
  const url = `${CAMPAIGNS}/${await createReadyCampaign(owner, groupId)}`;
  await owner.post(`${url}/filters/set`, { filters_arr: [campaignSegment] });
  expect((await change(campaignSegment, 'a.example')).status).toBe(200);
  const schedule = { schedule_time: '2099-01-01 10:00:00' };
  expect((await owner.post(`${url}/schedule`, schedule)).status).toBe(200);
  const rejection = await change(campaignSegment, 'b.example');
  expect(rejection).toMatchObject(refusal('campaign'));
  expect(rejection.body.message).toContain('Spring');
  // Neither the title nor unchanged conditions affect the recipients.
  const unchangedBody = { title: 'Named', conditions: conditions('a.example') };
  expect((await author.patch(`${filters}/${campaignSegment}`, unchangedBody)).status).toBe(200);
  expect((await owner.post(`${url}/cancel`)).status).toBe(200);
  const rule = { every: 'week', interval: 1, weekdays: [1], time: '10:00' };
  expect((await owner.put(`${url}/series`, { rule })).status).toBe(200);
  expect(await change(campaignSegment, 'c.example')).toMatchObject(refusal('campaign'));
  const changedBody = { conditions: conditions('c.example') };
  expect((await owner.patch(`${filters}/${campaignSegment}`, changedBody)).status).toBe(200);

  const workflowSegment = await create();
  const workflows = workflowBuilder(server, owner);
  const tree = await workflows.workflow({ triggerType: 'SEGMENT_ENTER', segment: workflowSegment });
  await workflows.write(await tree.add(tree.trigger, 'EMAIL', EMAIL));
  expect((await change(workflowSegment, 'a.example')).status).toBe(200);
  await tree.activate();
  expect(await change(workflowSegment, 'b.example')).toMatchObject(refusal('workflow'));
});

test('a recurring campaign that uses a segment in a section is found even if more drafts use it than an error lists', async () => {
  const { owner, groupId } = await campaignShop(server, 1);
  const author = await clientWith(owner, ['read', 'drafts']);
  const filters = `${API}/filters`;
  const input = { title: 'S', conditions: 'email,ends,x.example,1,and,and,' };
  const segment: string = (await owner.post(filters, input)).body.data.id;
  const rules = [{ kind: 'segment' as const, operator: 'in' as const, segment }];
  const document = createEmailDocument([
    createSection([[createBlock('text', { html: '<p>For the few</p>' })]], {
      condition: { match: 'all', rules },
    }),
    createSection([[createBlock('footer')]]),
  ]);
  const campaign = async () => {
    const url = `${CAMPAIGNS}/${await createReadyCampaign(owner, groupId)}`;
    const { revision } = (await owner.get(`${url}/content`)).body.data;
    const content = { revision, editor: 'editor', document, confirm_switch: true };
    expect((await owner.put(`${url}/content`, content)).status).toBe(200);
    return url;
  };
  const change = async (domain: string) => {
    const conditions = `email,ends,${domain},1,and,and,`;
    return author.patch(`${filters}/${segment}`, { conditions });
  };
  // Create more drafts than an error lists.
  for (let i = 0; i < 21; i++) await campaign();
  const model = await campaign();
  expect((await change('a.example')).status).toBe(200);
  const rule = { every: 'week', interval: 1, weekdays: [1], time: '10:00' };
  expect((await owner.put(`${model}/series`, { rule })).status).toBe(200);
  expect(await change('b.example')).toMatchObject({
    status: 403,
    body: { code: 'segment_in_force', right: 'send', used_by: [{ kind: 'campaign' }] },
  });
  expect((await owner.delete(`${model}/series`, {})).status).toBe(200);
  expect((await change('c.example')).status).toBe(200);
});

test('restoring a campaign schedules it again only if the caller has the right to send', async () => {
  const { owner, groupId } = await campaignShop(server, 1);
  const author = await clientWith(owner, ['read', 'drafts']);
  const id = await createReadyCampaign(owner, groupId);
  const url = `${CAMPAIGNS}/${id}`;
  const schedule_time = '2099-01-01 10:00:00';
  for (const [client, status] of [
    [owner, 'SCHEDULED'],
    [author, 'DRAFT'],
  ] as const) {
    expect((await owner.post(`${url}/schedule`, { schedule_time })).status).toBe(200);
    expect((await author.delete(url, {})).status).toBe(200);
    expect((await client.post(`${url}/restore`, {})).body.data).toMatchObject({ status });
  }
});

test('changing a published form or its confirmation email requires the right to send', async () => {
  const owner = await server.owner();
  const author = await clientWith(owner, ['read', 'drafts', 'people']);
  const { id } = await publishForm(owner, { layout: 'card' });
  const url = `${FORMS}/${id}`;
  const { revision } = (await owner.get(url)).body.data;
  expect((await author.patch(url, { revision, settings: { delay: false } })).status).toBe(200);
  const email = `${API}/confirmation-emails/${id}/content`;
  const content = {
    revision: (await owner.get(email)).body.data.revision,
    editor: 'text',
    plain_text: 'Confirm',
  };
  const change = {
    settings: { confirmation: { subject: 'Buy now', from_name: '', from_email: '' } },
  };
  for (const refusedBody of [
    await author.patch(url, { is_active: 1 }),
    await author.patch(url, { is_active: 0 }),
    await author.patch(url, change),
    await author.post(`${url}/tags`, { tags_ids: [] }),
    await author.put(email, content),
  ]) {
    expect(refusedBody).toMatchObject(missing('send'));
  }
  expect((await owner.patch(url, { is_active: 0 })).status).toBe(200);
  expect((await author.put(email, content)).status).toBe(200);
});
