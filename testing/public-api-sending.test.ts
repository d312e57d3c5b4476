// The public API as existing clients use it: campaigns, their statistics, workflows, forms,
// transactional email, webhooks and custom events.
import { beforeAll, expect, test } from 'vitest';
import { proveDomain } from './worlds/sending-helpers.ts';
import {
  BOOLEAN,
  CAMPAIGN,
  SUCCESS_BODY,
  expectPage,
  type ForeignClient,
  foreignClient,
  ID,
  NUMBER,
  orNull,
  REPORT,
  TEMPLATE,
  TEXT,
  TIME,
  WEBHOOK,
} from './setup/foreign-client.ts';
import { type ReportedCampaignFixture, sendReportedCampaign } from './worlds/reported-campaign.ts';
import { workflowBuilder } from './worlds/workflow-builder.ts';

let fixture: ReportedCampaignFixture;
let client: ForeignClient;
let foreign: ForeignClient;
let owner: Awaited<ReturnType<ReportedCampaignFixture['server']['owner']>>;

beforeAll(async () => {
  fixture = await sendReportedCampaign();
  owner = fixture.owner as typeof owner;
  client = await foreignClient(fixture.server, owner);
  foreign = await foreignClient(fixture.server, await fixture.server.owner());
  const address = {
    ...{ address: 'Storgata 1', city: 'Oslo', state: 'Oslo', country: 'NO', zip_code: '0155' },
    timezone: 'Europe/Oslo',
  };
  await owner.patch('/client-api/api/account_questionnaire', address);
  await proveDomain(fixture.server.db, fixture.accountId);
}, 120_000);
const call: ForeignClient['call'] = (...args) => client.call(...args);
const ok: ForeignClient['requireOk'] = (...args) => client.requireOk(...args);
const NEWSLETTER = {
  ...{ title: 'Spring', subject: 'Fresh tea', from: 'Tea', reply_to: 'news@tea.example' },
  ...{ preheader: 'It is here', content_type: 'html', google_analytics: 0 },
  content: '<p>Tea. <a href="{{unsubscribe_link}}">Leave</a></p>',
};

test('campaigns are created, validated, copied, scheduled, unscheduled, sent and deleted', async () => {
  const groups = [(await ok('POST', '/groups', { title: 'Drinkers' })).data.id];
  await ok('POST', '/subscribers', { email: 'drinker@tea.example', groups });
  const campaign = await ok('POST', '/campaigns', {
    ...NEWSLETTER,
    ...{ groups, segments: [], auto_followup_active: true, auto_followup_delay: 48 },
    auto_followup_subject: 'Still fresh',
  });
  expect(campaign).toEqual({ ...SUCCESS_BODY, data: CAMPAIGN });
  expect(campaign.data).toMatchObject({
    ...{ status: 'DRAFT', campaign_groups: groups, auto_followup_active: 1, editor: 'html' },
    ...{ auto_followup_delay: 48, auto_followup_subject: 'Still fresh', from: 'Tea' },
  });
  const { id } = campaign.data;
  const campaignRead = await ok('GET', `/campaigns/${id}/`);
  expect(campaignRead).toEqual({ data: CAMPAIGN });
  expect(campaignRead.data.html.html_content).toContain('Tea.');
  expectPage(await ok('GET', '/campaigns?limit=2&page=1&status=DRAFT'), CAMPAIGN);
  expect(await ok('GET', `/campaigns/${id}/errors`)).toEqual({
    ...{ errors: [], warnings: ['no_links', 'postal_address_added'] },
  });
  const copy = await ok('POST', `/campaigns/${id}/copy`);
  expect(copy).toEqual({ ...SUCCESS_BODY, data: CAMPAIGN });
  const time = { schedule_time: '2099-03-01 09:00:00' };
  expect(await ok('POST', `/campaigns/${id}/schedule`, time)).toEqual(SUCCESS_BODY);
  expect((await ok('GET', '/campaigns?status=SCHEDULED')).data).toMatchObject([
    { id, status: 'SCHEDULED', schedule_time: time.schedule_time },
  ]);
  expect(await ok('DELETE', `/campaigns/${id}/schedule`)).toEqual(SUCCESS_BODY);
  expect(await ok('POST', `/campaigns/${id}/cancel_followup`)).toEqual(SUCCESS_BODY);
  expect(await ok('POST', `/campaigns/${id}/send`)).toEqual(SUCCESS_BODY);
  expect((await ok('GET', `/campaigns/${id}`)).data.status).not.toBe('DRAFT');
  const otherCampaign = (await ok('POST', '/campaigns', { ...NEWSLETTER, content: '<p>Tea.</p>' }))
    .data.id;
  const { errors } = await ok('GET', `/campaigns/${otherCampaign}/errors`);
  expect(errors).toEqual(['recipients_missing']);
  expect(await ok('DELETE', `/campaigns?ids=[${copy.data.id}]`)).toEqual(SUCCESS_BODY);
  expect(await ok('DELETE', `/campaigns/${otherCampaign}`)).toEqual(SUCCESS_BODY);
  expect((await call('GET', `/campaigns/${otherCampaign}`)).status).toBe(404);
  expect((await foreign.call('POST', `/campaigns/${id}/copy`)).status).toBe(404);
  for (const invalidBody of [{ subject: '' }, { reply_to: 'x' }, { content_type: 'pdf' }])
    expect((await call('POST', '/campaigns', { ...NEWSLETTER, ...invalidBody })).status).toBe(422);
});

test('the statistics of a campaign list opens, clicks, bounces, unsubscribes and complaints', async () => {
  const actionShape = { recipient_id: ID, email: TEXT, created_at: TIME };
  const counts: Record<string, number> = {};
  for (const kind of [...['opens', 'soft_bounces', 'hard_bounces', 'unsubscribes', 'complaints']]) {
    const page = await ok('GET', `/campaigns/${fixture.campaign}/${kind}?limit=100`);
    expectPage(page, actionShape);
    counts[kind] = page.data.length;
  }
  const clicks = await ok('GET', `/campaigns/${fixture.campaign}/clicks`);
  expectPage(clicks, { ...actionShape, link_id: ID, url: expect.stringMatching(/^https:/) });
  expect(clicks.data.length).toBeGreaterThan(0);
  for (const [kind, count] of Object.entries(counts))
    expect([kind, count > 0]).toEqual([kind, true]);
  // An unsent campaign has no activity.
  const draft = (await ok('POST', '/campaigns', NEWSLETTER)).data.id;
  for (const kind of ['opens', 'clicks', 'hard_bounces'])
    expectPage(await ok('GET', `/campaigns/${draft}/${kind}`), actionShape);
  expect((await foreign.call('GET', `/campaigns/${fixture.campaign}/opens`)).status).toBe(404);
});

test('workflows are listed and read with their steps, and started for a new subscriber', async () => {
  const workflows = workflowBuilder(fixture.server, owner);
  const workflow = await workflows.workflow({ triggerType: 'API' }, 'Welcome');
  const step = await workflow.add(workflow.trigger, 'delay', { delay_type: 'DAYS', amount: 1 });
  const { id: joined } = await workflows.group('Started');
  await workflow.add(step, 'ACTION', { action: 'COPY', group: joined });
  const row = {
    ...{ id: ID, user_id: orNull(ID), account_id: ID, title: TEXT, status: TEXT, created: TIME },
    ...{ modified: TIME, emails_sent: NUMBER, type: 'automation', description: TEXT },
    ...{ thumbnail: null, workflow_category_id: null },
    index_report: {
      ...{ sent: NUMBER, opened: NUMBER, clicked: NUMBER, open_rate: NUMBER, click_rate: NUMBER },
    },
  };
  expectPage(await ok('GET', '/workflows?page=1&limit=100&status=DRAFT&title=Wel'), row);
  expect((await ok('GET', '/workflows?title=elcome')).data).toEqual([]);
  expect(await ok('GET', `/workflows/${workflow.id}`)).toEqual({
    data: { ...row, report: REPORT },
  });
  expect(await ok('GET', `/workflows/${workflow.id}/average_report`)).toEqual({
    ...{ success: true, data: REPORT },
  });
  const steps = await ok('GET', `/workflows/${workflow.id}/steps?batch_no=0`);
  for (const step of steps)
    expect(step).toEqual({
      ...{ id: ID, workflow_id: workflow.id, parent_id: orNull(ID), condition_path: TEXT },
      type: expect.stringMatching(/^(TRIGGER|DELAY|ACTION)$/),
      ...{ trigger_type: orNull(TEXT), delay_type: orNull(TEXT), complete: BOOLEAN },
      ...{ active_subscribers_count: NUMBER, thumbnail_url: null, children: expect.any(Array) },
      trigger_definition: orNull(expect.objectContaining({ triggerType: 'API' })),
    });
  expect(steps[0]).toMatchObject({ type: 'TRIGGER', trigger_type: 'API' });
  expect(steps.find((candidate: { id: string }) => candidate.id === step)).toMatchObject({
    ...{ type: 'DELAY', delay_type: 'DAYS' },
  });
  expect(await ok('GET', `/workflows/${workflow.id}/steps?batch_no=1`)).toEqual([]);
  const subscriber = { email: 'somebody.new@tea.example' };
  expect((await call('POST', `/workflows/${workflow.id}/start`, subscriber)).status).toBe(409);
  await workflow.activate();
  expect(await ok('POST', `/workflows/${workflow.id}/start`, subscriber)).toEqual(SUCCESS_BODY);
  expect((await ok('GET', `/subscribers/${subscriber.email}`)).data.source).toBe('API');
  const refusal = await call('POST', `/workflows/${workflow.id}/start`, { email: 'nobody' });
  expect(refusal.status).toBe(422);
});

test('forms have the fields that plug-ins read', async () => {
  const form = await owner.post('/client-api/api/forms', { title: 'Sign up', type: 'embed' });
  expect(form.status, form.text).toBe(200);
  const row = {
    ...{ id: ID, title: TEXT, type: 'embed', is_active: BOOLEAN, thumbnail_url: orNull(TEXT) },
    ...{
      settings: { id: ID, embed_hash: TEXT, resource_path: TEXT },
      created: TIME,
      modified: TIME,
    },
  };
  const page = await ok('GET', '/forms?type=embed&limit=100');
  expectPage(page, row);
  expect(page.data).toHaveLength(1);
  expectPage(await ok('GET', '/forms?type=embed&is_active=1&limit=100'), row);
  expect(await ok('GET', `/forms/${page.data[0].id}`)).toEqual({ data: row });
});

test('transactional emails have templates and reports, and sending accepts each format of recipient, reply address and headers', async () => {
  const createdEmail = await ok('POST', '/transactional', {
    ...{ subject: 'Order {{ number }}', from: 'Tea', reply_to: 'news@tea.example' },
    ...{ editor: 'html', content: '<p>Order {{ number }}</p>', preheader: 'Thanks' },
  });
  expect(createdEmail).toEqual({ data: TEMPLATE });
  const { id } = createdEmail.data;
  expect((await ok('PATCH', `/transactional/${id}`, { title: 'Receipt' })).data.title).toBe(
    'Receipt',
  );
  expectPage(await ok('GET', '/transactional?limit=10'), TEMPLATE);
  expect(await ok('GET', `/transactional/${id}`)).toEqual({ data: TEMPLATE });
  const sentShape = { success: true, message: 'Email sent', emailId: TEXT };
  const email = {
    ...{ from: { email: 'news@tea.example', name: 'Tea' }, subject: 'Hello {{name}}' },
    ...{ text: 'Hello {{name}}', html: '<p>Hello {{name}}</p>', variables: { name: 'Ada' } },
  };
  const file = { 'terms.txt': `base64://${Buffer.from('Be kind').toString('base64')}` };
  const recipient = { email: 'ada@home.example', name: 'Ada' };
  for (const body of [
    {
      ...email,
      to: recipient,
      headers: { 'X-Order': '7' },
      reply_to: { email: 'help@tea.example', name: 'H' },
    },
    { ...email, recipient_email: recipient.email, reply_to: 'help@tea.example' },
    { ...email, to: recipient, headers: [{ name: 'X-Order', value: '7' }], attachments: file },
    { ...email, to: recipient, headers: [], attachments: [], variables: { name: 'Ada' } },
  ]) {
    const response = await call('POST', '/message/send', body);
    expect([response.status, response.body]).toEqual([200, sentShape]);
    expect(response.headers.get('x-message-id')).toBe(response.body.emailId);
    expect(response.headers.get('x-ratelimit-limit')).toMatch(/^\d+$/);
  }
  expect(
    await ok('POST', `/message/${id}/send`, { to: recipient, variables: { number: 7 } }),
  ).toEqual(sentShape);
  const preview = await ok('POST', `/message/${id}/preview`, { variables: { number: 8 } });
  expect(preview.data).toMatchObject({ subject: 'Order 8', html: TEXT, text: TEXT });
  const reportShape = {
    ...{ sent: NUMBER, opens: NUMBER, clicks: NUMBER, bounces: NUMBER },
    ...{ unsubscribes: NUMBER, spam: NUMBER },
  };
  const span = 'from=2026-01-01&to=2026-01-31&period=day';
  const { data } = await ok('GET', `/transactional/${id}/report?${span}`);
  expect(data).toMatchObject(reportShape);
  for (const period of data.periods) expect(period).toEqual({ date: TEXT, ...reportShape });
  for (const period of ['week', 'month', 'year'])
    await ok('GET', `/transactional/${id}/report?from=2026-01-01&to=2026-01-31&period=${period}`);
  expect((await call('GET', `/transactional/${id}/report`)).status).toBe(422);
  const actionShape = { id: ID, email: TEXT, created_at: TIME, url: orNull(TEXT) };
  for (const kind of ['sent', 'opens', 'clicks', 'bounces', 'unsubscribes', 'complaints'])
    expectPage(await ok('GET', `/transactional/${id}/${kind}`), actionShape);
  expect((await foreign.call('GET', `/transactional/${id}`)).status).toBe(404);
  const rejection = await call('POST', '/message/send', { ...email, subject: '' });
  expect([rejection.status, rejection.body.success]).toEqual([422, false]);
});

test('webhooks are created, listed, updated and deleted; custom events are in the history of their subscriber', async () => {
  const { id: group } = (await ok('POST', '/groups', { title: 'Watched' })).data;
  const hook = {
    ...{ url: 'https://hooks.example.com/x', topic: 'groups/new-subscriber', relation_id: group },
  };
  const webhook = await ok('POST', '/account/webhooks', hook);
  expect(webhook).toMatchObject({ ...WEBHOOK, data: WEBHOOK, group });
  expect(await ok('GET', `/account/webhooks/${webhook.id}`)).toEqual(WEBHOOK);
  expectPage(await ok('GET', '/account/webhooks'), WEBHOOK);
  for (const topic of [
    ...['subscribers/new', 'subscribers/updated', 'subscribers/unsubscribed', 'groups/new'],
    ...['campaigns/new', 'bounces/new'],
  ])
    expect((await ok('POST', '/account/webhooks', { url: hook.url, topic })).topic).toBe(topic);
  for (const method of ['PATCH', 'PUT'])
    expect(await ok(method, `/account/webhooks/${webhook.id}`, { url: `${hook.url}2` })).toEqual(
      expect.objectContaining({ url: `${hook.url}2` }),
    );
  for (const invalidBody of [
    { topic: 'none/such' },
    { relation_id: undefined },
    { url: 'ftp://x' },
  ])
    expect((await call('POST', '/account/webhooks', { ...hook, ...invalidBody })).status).toBe(422);
  expect((await foreign.call('GET', `/account/webhooks/${webhook.id}`)).status).toBe(404);
  expect(await ok('DELETE', `/account/webhooks/${webhook.id}`)).toEqual(SUCCESS_BODY);

  await ok('POST', '/subscribers', { email: 'viewer@tea.example', phone: '+37060000001' });
  const { id } = (await ok('GET', '/subscribers/viewer@tea.example')).data;
  const event = { type: 'product_viewed', value: 12.5, value_currency: 'USD' };
  for (const subscriber of [{ id }, { email: 'viewer@tea.example' }, { phone: '+37060000001' }])
    expect(
      await ok('POST', '/events', { ...event, subscriber, properties: { title: 'Tea', n: 1 } }),
    ).toEqual(SUCCESS_BODY);
  const history = await ok('GET', `/subscribers/${id}/events?actions=event`);
  expect(history).toEqual({ custom: { event: expect.any(Array) } });
  expect(history.custom.event).toHaveLength(3);
  expect(history.custom.event[0].title).toBe('product_viewed · 12.5 USD · n: 1, title: Tea');
  for (const invalidBody of [
    { subscriber: {} },
    { subscriber: { id }, properties: { text: 'x'.repeat(2_049) } },
    {
      subscriber: { id },
      properties: Object.fromEntries(
        Array.from({ length: 5 }, (_, i) => [`p${i}`, 'x'.repeat(2_000)]),
      ),
    },
  ])
    expect((await call('POST', '/events', { ...event, ...invalidBody })).status).toBe(422);
});
