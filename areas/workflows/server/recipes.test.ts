// Every recipe in every language is complete except for data of the account, has emails without
// errors, and reuses an existing segment.
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { WorkflowStep } from '#areas/workflows/contract.ts';
import { LANGUAGES } from '#platform/languages.ts';
import { type TestClient, type TestOwner, testServer } from '#testing/setup/server.ts';
import { RECIPES } from '../recipes.ts';

const server = await testServer();
const API = '/client-api/api';
let owner: TestOwner;

beforeEach(async () => {
  owner = await server.owner();
  await sql`update accounts set title = 'Tea', address = '1 Road', city = 'Oslo', country = 'NO',
    zip_code = '1' where id = ${owner.accountId}`.execute(server.db);
});

const make = (recipe: string, title = recipe, client: TestClient = owner) =>
  client.post(`${API}/workflow_recipes/${recipe}`, { title });

/** Settings that only the account can provide. */
const MISSING_BY_RECIPE: Record<string, string[]> = {
  birthday: ['field'],
  browse: ['store'],
  cart: ['store'],
  purchase: ['store'],
};

test.each(LANGUAGES)('every recipe is complete in %s', async (language) => {
  await sql`update accounts set language = ${language} where id = ${owner.accountId}`.execute(
    server.db,
  );
  const subjects = new Set<string>();
  for (const { id, steps: recipe } of RECIPES) {
    const response = await make(id);
    expect(response.status, response.text).toBe(200);
    const steps: WorkflowStep[] = (
      await owner.get(`${API}/workflows/${response.body.data.id}/steps`)
    ).body.data;
    expect(steps.length, id).toBeGreaterThan(recipe.length);
    for (const step of steps) {
      const expectedMissing = step.type === 'trigger' ? (MISSING_BY_RECIPE[id] ?? []) : [];
      expect(step.missing, `${id} ${step.type}`).toEqual(expectedMissing);
      if (step.type !== 'EMAIL') continue;
      const { data } = (await owner.get(`${API}/workflow_steps/${step.id}/checks`)).body;
      const errors = data.filter((row: { severity: string }) => row.severity === 'error');
      expect(errors, `${id} ${step.data.subject}`).toEqual([]);
      subjects.add(String(step.data.subject));
    }
  }
  expect(subjects.size).toBe(17);
});

test('an email step with an unlinked button has a warning until the account has a website', async () => {
  const listWarnings = async () => {
    const { id } = (await make('welcome')).body.data;
    const steps: WorkflowStep[] = (await owner.get(`${API}/workflows/${id}/steps`)).body.data;
    return steps.filter((step) => step.type === 'EMAIL').map((step) => step.warnings);
  };
  const warningsWithoutWebsite = await listWarnings();
  expect(warningsWithoutWebsite.length).toBeGreaterThan(0);
  expect(warningsWithoutWebsite).toEqual(warningsWithoutWebsite.map(() => ['link_empty']));
  const response = await owner.patch(`${API}/accounts`, { website: 'https://tea.example' });
  expect(response.status, response.text).toBe(200);
  expect(await listWarnings()).toEqual(warningsWithoutWebsite.map(() => []));
});

test('a recipe reuses its existing segment and the account’s only date field; unknown recipes and empty titles are refused', async () => {
  await make('reengagement', 'One');
  await make('reengagement', 'Two');
  const { data } = (await owner.get(`${API}/filters`)).body;
  expect(data.map((row: { title: string }) => row.title)).toEqual(['Inactive for three months']);
  await owner.post(`${API}/fields`, { title: 'Born', type: 'datetime' });
  const { id } = (await make('birthday')).body.data;
  const [trigger]: WorkflowStep[] = (await owner.get(`${API}/workflows/${id}/steps`)).body.data;
  expect(trigger?.missing).toEqual([]);
  expect((await make('nonsense')).status).toBe(404);
  expect((await make('welcome', '')).status).toBe(422);
  expect((await make('welcome', 'Welcome', server.client())).status).toBe(401);
});
