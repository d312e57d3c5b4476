// The calls that create, build and delete a workflow: the fields of their bodies, and their errors
// (422 per field or with one message, 404 for resources of another account).
import { beforeEach, expect, test } from 'vitest';
import { type TestOwner, testServer } from '#testing/setup/server.ts';

const server = await testServer();
const WORKFLOWS = '/client-api/api/workflows';
let owner: TestOwner;

beforeEach(async () => {
  owner = await server.owner();
});

type ApiResponse = { status: number; text: string; body: { data: never } };
type StepView = {
  id: string;
  type: string;
  children: string[];
  condition_path: string;
  complete: boolean;
  workflow_id: string;
  data: Record<string, unknown>;
};

async function createWorkflow() {
  const { id } = (await owner.post(WORKFLOWS, { title: 'Welcome' })).body.data;
  return { id, at: `${WORKFLOWS}/${id}` };
}

function requireOk<T>({ status, text, body }: ApiResponse): T {
  expect(status, text).toBe(200);
  return body.data as T;
}

const formatPaths = (steps: readonly StepView[]) =>
  steps.map(({ type, condition_path: path }) => `${type} ${path}`);

test('the workflow calls build a workflow from its trigger to its end', async () => {
  const { id, at } = await createWorkflow();
  const createdWorkflow = requireOk<{
    id: string;
    title: string;
    status: string;
    steps: StepView[];
  }>(await owner.get(at));
  // A new workflow starts with a trigger step.
  expect(createdWorkflow).toMatchObject({ id, title: 'Welcome', status: 'DRAFT' });
  expect(formatPaths(createdWorkflow.steps)).toEqual(['trigger TRUE']);
  const [trigger] = requireOk<StepView[]>(
    await owner.post(`${at}/trigger`, { trigger_definition: { triggerType: 'API' } }),
  ) as [StepView];
  expect(trigger).toMatchObject({ complete: true, workflow_id: id, data: { triggerType: 'API' } });

  const add = async (body: object) =>
    requireOk<{ id: string; steps: StepView[] }>(await owner.post(`${at}/steps`, body));
  const end = await add({ parent_id: trigger.id, type: 'ACTION' });
  const data = { data: { action: 'END' } };
  requireOk(await owner.patch(`${at}/steps/${end.id}/data`, data));
  // An insert between two steps moves the child below the new step, on the chosen path.
  const between = { parent_id: trigger.id, condition_path: 'TRUE', children_path: 'FALSE' };
  const withCondition = await add({ ...between, type: 'CONDITION' });
  expect(formatPaths(withCondition.steps)).toEqual([
    'trigger TRUE',
    'CONDITION TRUE',
    'ACTION FALSE',
  ]);
  expect(withCondition.steps[1]?.children).toEqual([end.id]);
  const movedSteps = requireOk<StepView[]>(
    await owner.patch(`${at}/steps/${end.id}`, {
      parent_id: withCondition.id,
      condition_path: 'TRUE',
    }),
  );
  expect(formatPaths(movedSteps)).toEqual(['trigger TRUE', 'CONDITION TRUE', 'ACTION TRUE']);
  const wait = await add({ parent_id: withCondition.id, type: 'delay', condition_path: 'FALSE' });
  expect(wait.steps).toHaveLength(4);

  // Removing a condition replaces it with the child on the chosen path and deletes the other path.
  const keepBelow = { delete_all_below: false, condition_path: 'TRUE' };
  const remaining = requireOk<StepView[]>(
    await owner.delete(`${at}/steps/${withCondition.id}`, keepBelow),
  );
  expect(formatPaths(remaining)).toEqual(['trigger TRUE', 'ACTION TRUE']);
  expect(requireOk<StepView[]>(await owner.get(`${at}/steps`))).toEqual(remaining);

  expect(requireOk<{ status: string }>(await owner.patch(`${at}/activate`)).status).toBe('ACTIVE');
  expect(requireOk<{ status: string }>(await owner.patch(`${at}/deactivate`)).status).toBe('DRAFT');
  const report = requireOk<Record<string, number>>(await owner.get(`${at}/average_report`));
  expect(Object.values(report)).toEqual(Array(9).fill(0));
  const deleteBelow = { delete_all_below: true };
  expect(
    formatPaths(requireOk<StepView[]>(await owner.delete(`${at}/steps/${end.id}`, deleteBelow))),
  ).toEqual(['trigger TRUE']);
  expect((await owner.delete(at)).status).toBe(200);
  expect((await owner.get(at)).status).toBe(404);
});

test('invalid input is refused by field or with a message, and another account’s workflow is not found', async () => {
  const { at } = await createWorkflow();
  const [trigger] = requireOk<StepView[]>(await owner.get(`${at}/steps`)) as [StepView];
  const invalidTrigger = await owner.post(`${at}/trigger`, {
    trigger_definition: { triggerType: 'MOON' },
  });
  expect(invalidTrigger.status).toBe(422);
  expect(Object.keys(invalidTrigger.body.errors)).toEqual(['trigger_definition.triggerType']);
  const path = { parent_id: trigger.id, type: 'delay', condition_path: 'lower' };
  const lower = await owner.post(`${at}/steps`, path);
  expect([lower.status, Object.keys(lower.body.errors)]).toEqual([422, ['condition_path']]);
  const earlyActivation = await owner.patch(`${at}/activate`);
  expect(earlyActivation.status).toBe(422);
  expect(earlyActivation.body.message).toMatch(/\S/);
  const calls: [method: 'get' | 'post' | 'patch' | 'delete', path: string, body?: object][] = [
    ['get', ''],
    ['get', '/steps'],
    ['post', '/trigger', { trigger_definition: { triggerType: 'API' } }],
    ['post', '/steps', { parent_id: trigger.id, type: 'delay' }],
    ['patch', `/steps/${trigger.id}`, { parent_id: trigger.id }],
    ['delete', `/steps/${trigger.id}`, {}],
    ['patch', `/steps/${trigger.id}/data`, { data: {} }],
    ['patch', '/activate'],
    ['patch', '/deactivate'],
    ['get', '/average_report'],
    ['delete', ''],
  ];
  const otherOwner = await server.owner();
  for (const [method, path, body] of calls) {
    const response = await otherOwner[method](`${at}${path}`, body as never);
    expect(response.status, `${method} ${path}`).toBe(404);
  }
  expect(requireOk<StepView[]>(await owner.get(`${at}/steps`))).toHaveLength(1);
});
