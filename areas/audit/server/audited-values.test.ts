// Values that the audit log records before and after changes of settings that act without a further
// decision: workflows, mail servers, schedules, series and domains.
import { beforeAll, expect, test } from 'vitest';
import { type TestClient, type TestServer, testServer } from '#testing/setup/server.ts';
import { EMAIL, workflowsOf } from '#testing/worlds/workflow-builder.ts';

let server: TestServer;
const API = '/client-api/api';

beforeAll(async () => {
  server = await testServer();
});

type Entry = { before: unknown; after: unknown; count: number | null };

/** The newest first. */
const entries = async (client: TestClient, query: string): Promise<Entry[]> =>
  (await client.get(`${API}/audit?limit=200&${query}`)).body.data;

const valuesOf = async (client: TestClient, query: string) =>
  (await entries(client, query)).map(({ before, after }) => ({ before, after }));

async function ok(answer: Promise<{ status: number; text: string }>) {
  const { status, text } = await answer;
  expect(status, text).toBe(200);
}

test('changes of steps record their number by kind, and triggers and delays before and after', async () => {
  const owner = await server.owner();
  const kit = workflowsOf(server, owner);
  const { id: group } = await kit.group('Start');
  const tree = await kit.workflow(
    { triggerType: 'LIST_ADD', listId: group },
    'For ada@tea.example',
  );
  const wait = await tree.add(tree.trigger, 'delay', { delay_type: 'HOURS', amount: 3 });
  const email = await tree.add(tree.trigger, 'EMAIL', { ...EMAIL, subject: 'Secret subject' });
  const delay = { delay_type: 'DAYS', amount: 2, note: 'Secret note' };
  await ok(owner.patch(`${tree.at}/steps/${wait}/data`, { data: delay }));
  await ok(owner.post(`${tree.at}/trigger`, { trigger_definition: { triggerType: 'API' } }));
  await ok(owner.delete(`${tree.at}/steps/${wait}`, {}));
  await ok(owner.post(`${tree.at}/versions/2/restore`, {}));
  const hours = { id: wait, type: 'delay', delay_type: 'HOURS', amount: 3 };
  const days = { ...hours, delay_type: 'DAYS', amount: 2 };
  const joined = { id: tree.trigger, type: 'trigger', triggerType: 'LIST_ADD', listId: group };
  const called = { id: tree.trigger, type: 'trigger', triggerType: 'API' };
  expect(await valuesOf(owner, 'action=workflows')).toEqual([
    {
      before: { steps: [called, { id: email, type: 'EMAIL' }] },
      after: { changed: { trigger: 1 }, removed: { EMAIL: 1 }, steps: [joined] },
    },
    {
      before: { steps: [days] },
      after: { removed: { delay: 1 } },
    },
    {
      before: { steps: [joined] },
      after: { changed: { trigger: 1 }, steps: [called] },
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
      after: { changed: { trigger: 1 }, steps: [joined] },
    },
    { before: null, after: { title: 'For …' } },
  ]);
});

test('names, settings and removals of workflows are recorded, without texts that may name a subscriber', async () => {
  const owner = await server.owner();
  const kit = workflowsOf(server, owner);
  const tree = await kit.workflow({ triggerType: 'API' });
  const conditions = [{ type: 'email', operator: 'equals', operand: 'ada@tea.example' }];
  await tree.add(tree.trigger, 'CONDITION', { kind: 'segment', conditions });
  await ok(owner.patch(tree.at, { title: 'Farewell' }));
  const goal = { conditions, days: 5 };
  await tree.set({ reentry: 'never', entry_conditions: conditions, goal });
  const recipe = await owner.post(`${API}/workflow_recipes/welcome`, { title: 'Hello' });
  expect(recipe.status, recipe.text).toBe(200);
  await ok(owner.post(`${tree.at}/duplicate`, {}));
  await ok(owner.delete(tree.at));
  const [deleted, copied, created, set, renamed, branched] = await entries(
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
  expect(JSON.stringify(await entries(owner, ''))).not.toContain('ada@tea');
});
