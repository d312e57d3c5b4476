// Values before and after a change, as the audit log records them for workflows, mail servers,
// schedules, series and domains.
import { beforeAll, expect, test } from 'vitest';
import { instantToWallTime } from '#areas/broadcasts/wall-time.ts';
import { clock } from '#platform/server/clock.ts';
import { allowPrivateAddresses } from '#platform/server/outgoing/outgoing-address.ts';
import { type TestClient, type TestServer, testServer } from '#testing/setup/server.ts';
import { CAMPAIGNS, campaignShop, createReadyCampaign } from '#testing/worlds/campaign-shop.ts';
import { relaySettings } from '#testing/worlds/relay-settings.ts';
import { EMAIL, workflowBuilder } from '#testing/worlds/workflow-builder.ts';

let server: TestServer;
const API = '/client-api/api';
const DAY_MS = 86_400_000;

beforeAll(async () => {
  server = await testServer();
});

type AuditedEntry = { before: unknown; after: unknown; count: number | null };

/** Returns the entries, newest first. */
const listEntries = async (client: TestClient, query: string): Promise<AuditedEntry[]> =>
  (await client.get(`${API}/audit?limit=200&${query}`)).body.data;

const listValues = async (client: TestClient, query: string) =>
  (await listEntries(client, query)).map(({ before, after }) => ({ before, after }));

async function expectOk(response: Promise<{ status: number; text: string }>) {
  const { status, text } = await response;
  expect(status, text).toBe(200);
}

test('changes to steps record the number of steps by kind, and the triggers and delays before and after', async () => {
  const owner = await server.owner();
  const kit = workflowBuilder(server, owner);
  const { id: group } = await kit.group('Start');
  const tree = await kit.workflow(
    { triggerType: 'LIST_ADD', listId: group },
    'For ada@tea.example',
  );
  const wait = await tree.add(tree.trigger, 'delay', { delay_type: 'HOURS', amount: 3 });
  const email = await tree.add(tree.trigger, 'EMAIL', { ...EMAIL, subject: 'Secret subject' });
  const delay = { delay_type: 'DAYS', amount: 2, note: 'Secret note' };
  await expectOk(owner.patch(`${tree.at}/steps/${wait}/data`, { data: delay }));
  await expectOk(owner.post(`${tree.at}/trigger`, { trigger_definition: { triggerType: 'API' } }));
  await expectOk(owner.delete(`${tree.at}/steps/${wait}`, {}));
  await expectOk(owner.post(`${tree.at}/versions/2/restore`, {}));
  const hours = { id: wait, type: 'delay', delay_type: 'HOURS', amount: 3 };
  const days = { ...hours, delay_type: 'DAYS', amount: 2 };
  const joinTrigger = { id: tree.trigger, type: 'trigger', triggerType: 'LIST_ADD', listId: group };
  const apiTrigger = { id: tree.trigger, type: 'trigger', triggerType: 'API' };
  expect(await listValues(owner, 'action=workflows')).toEqual([
    {
      before: { steps: [apiTrigger, { id: email, type: 'EMAIL' }] },
      after: { changed: { trigger: 1 }, removed: { EMAIL: 1 }, steps: [joinTrigger] },
    },
    {
      before: { steps: [days] },
      after: { removed: { delay: 1 } },
    },
    {
      before: { steps: [joinTrigger] },
      after: { changed: { trigger: 1 }, steps: [apiTrigger] },
    },
    {
      before: { steps: [hours] },
      after: { changed: { delay: 1 }, steps: [days] },
    },
    { before: null, after: { changed: { EMAIL: 1 } } },
    {
      before: null,
      after: { added: { EMAIL: 1 }, moved: { delay: 1 }, steps: [{ id: email, type: 'EMAIL' }] },
    },
    {
      before: { steps: [{ id: wait, type: 'delay' }] },
      after: { changed: { delay: 1 }, steps: [hours] },
    },
    { before: null, after: { added: { delay: 1 }, steps: [{ id: wait, type: 'delay' }] } },
    {
      before: { steps: [{ id: tree.trigger, type: 'trigger' }] },
      after: { changed: { trigger: 1 }, steps: [joinTrigger] },
    },
    { before: null, after: { title: 'For …' } },
  ]);
});

test('names, settings and removals of workflows are recorded, without text that may name a subscriber', async () => {
  const owner = await server.owner();
  const kit = workflowBuilder(server, owner);
  const tree = await kit.workflow({ triggerType: 'API' });
  const conditions = [{ type: 'email', operator: 'equals', operand: 'ada@tea.example' }];
  await tree.add(tree.trigger, 'CONDITION', { kind: 'segment', conditions });
  await expectOk(owner.patch(tree.at, { title: 'Farewell' }));
  const goal = { conditions, days: 5 };
  await tree.set({ reentry: 'never', entry_conditions: conditions, goal });
  const recipe = await owner.post(`${API}/workflow_recipes/welcome`, { title: 'Hello' });
  expect(recipe.status, recipe.text).toBe(200);
  await expectOk(owner.post(`${tree.at}/duplicate`, {}));
  await expectOk(owner.delete(tree.at));
  const [deleted, copied, created, set, renamed, branched] = await listEntries(
    owner,
    'action=workflows',
  );
  const steps = { trigger: 1, CONDITION: 1 };
  expect(deleted).toMatchObject({
    before: { title: 'Farewell', status: 'DRAFT', steps },
    after: null,
  });
  expect(copied).toMatchObject({ before: null, after: { title: 'Farewell', steps } });
  expect(created?.after).toMatchObject({ title: 'Hello', recipe: 'welcome' });
  const hidden = 'email,equals,%E2%80%A6,1,and,and,';
  expect(set).toMatchObject({
    before: { settings: { reentry: 'ended', entry_conditions: '', goal: null } },
    after: {
      settings: {
        reentry: 'never',
        entry_conditions: hidden,
        goal: { days: 5, ends: true, conditions: hidden },
      },
    },
  });
  expect(renamed).toMatchObject({ before: { title: 'Welcome' }, after: { title: 'Farewell' } });
  expect(branched?.after).toMatchObject({ steps: [{ kind: 'segment', conditions: hidden }] });
  expect(JSON.stringify(await listEntries(owner, ''))).not.toContain('ada@tea');
});

test('changes to a mail server record its address before and after, and no password', async () => {
  allowPrivateAddresses(true);
  const owner = await server.owner();
  const settings = { username: 'post', password: 'not for the log' };
  const response = await owner.post(`${API}/relays`, relaySettings(2525, settings));
  expect(response.status, response.text).toBe(200);
  const url = `${API}/relays/${response.body.data.id}`;
  await expectOk(owner.patch(url, { title: 'Second', port: 2526, password: 'also not' }));
  await expectOk(owner.delete(url));
  const original = { title: 'Our relay', kind: 'smtp', host: '127.0.0.1', port: 2525, tls: 'none' };
  const second = { ...original, title: 'Second', port: 2526 };
  expect(await listValues(owner, 'action=delivery')).toEqual([
    { before: second, after: null },
    { before: original, after: second },
    { before: null, after: original },
  ]);
  const json = JSON.stringify(await listEntries(owner, ''));
  for (const secret of ['not for the log', 'also not', '"post"'])
    expect(json).not.toContain(secret);
});

test('scheduling, rescheduling and unscheduling record the times', async () => {
  const { owner, groupId } = await campaignShop(server);
  const at = `${CAMPAIGNS}/${await createReadyCampaign(owner, groupId)}`;
  const formatTimeIn = (days: number) => {
    const instant = new Date(clock.now().getTime() + days * DAY_MS);
    return `${instantToWallTime(instant, 'Europe/Oslo').slice(0, 10)} 10:00:00`;
  };
  const [original, second] = [formatTimeIn(3), formatTimeIn(4)];
  await expectOk(owner.post(`${at}/schedule`, { schedule_time: original }));
  await expectOk(owner.post(`${at}/reschedule`, { schedule_time: second }));
  await expectOk(owner.post(`${at}/cancel`));
  const [canceled, moved, scheduled] = await listEntries(owner, 'action=campaigns');
  expect(scheduled).toMatchObject({ before: null, after: { schedule_time: original } });
  expect(moved).toMatchObject({
    before: { schedule_time: original },
    after: { schedule_time: second },
  });
  expect(canceled).toMatchObject({ before: { schedule_time: second }, after: null });
});

test('changes to a series and to a timing record their rules before and after', async () => {
  const { owner, groupId } = await campaignShop(server);
  const at = `${CAMPAIGNS}/${await createReadyCampaign(owner, groupId)}`;
  const timing = { when: 'time', past: 'next_day', window: null, spread_hours: null };
  const ownTimes = { ...timing, when: 'own_time' };
  await expectOk(owner.put(`${at}/timing`, { timing: ownTimes }));
  await expectOk(owner.put(`${at}/timing`, { timing: timing }));
  const [later, earlier] = await listEntries(owner, 'action=campaigns.setTiming');
  expect(earlier).toMatchObject({
    before: { timing: { when: 'time' } },
    after: { timing: ownTimes },
  });
  expect(later).toMatchObject({ before: { timing: ownTimes }, after: { timing: timing } });

  const rule = { every: 'week', interval: 1, weekdays: [1], time: '10:00' };
  const daily = { ...rule, weekdays: [1, 2, 3] };
  await expectOk(owner.put(`${at}/series`, { rule, starts_on: '2090-01-02' }));
  await expectOk(owner.put(`${at}/series`, { rule: daily, ends_on: '2090-12-31' }));
  await expectOk(owner.delete(`${at}/series`));
  const [stopped, changed, set] = await listEntries(owner, 'action=campaigns');
  const series = { rule, starts_on: '2090-01-02', ends_on: null };
  expect(set).toMatchObject({ before: null, after: { rule, starts_on: '2090-01-02' } });
  expect(changed).toMatchObject({ before: series, after: { rule: daily, ends_on: '2090-12-31' } });
  expect(stopped).toMatchObject({
    before: { rule: daily, starts_on: '2090-01-02', ends_on: '2090-12-31' },
    after: null,
  });
});

test('adding a domain records the email address that was entered, and removing it records its name', async () => {
  const owner = await server.owner();
  const response = await owner.post(`${API}/domains`, { email: 'news@tea.example' });
  expect(response.status, response.text).toBe(200);
  await expectOk(owner.delete(`${API}/domains/${response.body.data.id}`));
  expect(await listValues(owner, 'action=domains')).toEqual([
    { before: { domain: 'tea.example' }, after: null },
    { before: null, after: { email: 'news@tea.example' } },
  ]);
});
