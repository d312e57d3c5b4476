// Each call that supports approval requests creates such a request and changes nothing, if its
// caller requests approval or is a program without the right.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { allRoutes } from '#main/wiring.ts';
import { encodeId } from '#platform/ids.ts';
import type { Call } from '#platform/contract.ts';
import { isPublicApi } from '#platform/server/http/v2.ts';
import { type TestClient, testServer } from './setup/server.ts';
import { campaignShop, createReadyCampaign } from './worlds/campaign-shop.ts';
import { createProgram } from './worlds/colleagues.ts';
import { createReadySms } from './worlds/sms-draft.ts';
import { EMAIL, workflowBuilder } from './worlds/workflow-builder.ts';

const server = await testServer();
const calls = allRoutes(server.config)
  .map(({ call }) => call)
  .filter(({ approval }) => approval);
const nameOf = ({ method, path }: Pick<Call, 'method' | 'path'>) => `${method} ${path}`;

const NOW = { schedule_time: null };
const rule = { every: 'week', interval: 1, weekdays: [1], time: '10:00' };

/** Creates an account with an object for each call, and the input of each call. */
async function accountWithInputs() {
  const { owner, groupId, ids } = await campaignShop(server, 3);
  const [person = 0] = ids;
  const id = await createReadyCampaign(owner, groupId);
  const sms = (await createReadySms(server, owner)).id;
  const workflows = workflowBuilder(server, owner);
  const start = await workflows.group('Start');
  const tree = await workflows.workflow({ triggerType: 'LIST_ADD', listId: start.id });
  await workflows.write(await tree.add(tree.trigger, 'EMAIL', EMAIL));
  const inputs: Record<string, { id?: string; body: object }> = {
    'POST /client-api/api/campaigns/{id}/schedule': { id, body: NOW },
    'PUT /client-api/api/campaigns/{id}/series': { id, body: { rule } },
    'PUT /client-api/api/campaigns/{id}/resend': { id, body: { subject: 'Again', hours: 24 } },
    'POST /client-api/api/sms/campaign/{id}/schedule': { id: sms, body: NOW },
    'PUT /client-api/api/sms/campaign/{id}/series': { id: sms, body: { rule } },
    'PATCH /client-api/api/workflows/{id}/activate': { id: tree.id, body: {} },
    'DELETE /client-api/api/subscribers': { body: { all: true } },
    'POST /client-api/api/subscribers/{id}/erase': { id: encodeId('subscriber', person), body: {} },
    'POST /v2/campaigns/{id}/send': { id, body: {} },
    'POST /v2/campaigns/{id}/schedule': { id, body: { schedule_time: '2090-05-01 09:00:00' } },
    'DELETE /v2/subscribers': { body: { subscribers: ['person1@gmail.com'] } },
  };
  return { owner, inputs };
}

const TABLES = [
  ...['campaigns', 'campaign_series', 'campaign_resends', 'sms_campaigns', 'sms_series'],
  ...['workflows', 'subscribers', 'messages'],
];

/** Returns the rows that the calls would change. */
async function stateOf(accountId: number): Promise<object> {
  const state: Record<string, unknown> = {};
  for (const table of TABLES) {
    const { rows } = await sql<{ row: object }>`select to_jsonb(t) as row
      from ${sql.table(table)} t where t.account_id = ${accountId}`.execute(server.db);
    state[table] = rows.map(({ row }) => JSON.stringify(row)).sort();
  }
  return state;
}

test('each call creates an approval request and changes nothing, if its caller requests approval or lacks the right', async () => {
  const { owner, inputs } = await accountWithInputs();
  expect(calls.map(nameOf).sort()).toEqual(Object.keys(inputs).sort());
  const stateBefore = await stateOf(owner.accountId);
  const fullProgram = await createProgram(server, owner, null);
  for (const call of calls) {
    const name = nameOf(call);
    const { id = '', body } = inputs[name] as { id?: string; body: object };
    const url = call.path.replace('{id}', id);
    const limitedProgram = await createProgram(server, owner, [
      'read',
      call.approval?.requesterRight ?? 'drafts',
    ]);
    const attempts: [Pick<TestClient, 'send'>, string][] = [
      [fullProgram, `${url}?ask=1`],
      [limitedProgram, url],
      [limitedProgram, `${url}?ask=1&note=Please`],
    ];
    if (!isPublicApi(call.path)) attempts.push([owner, `${url}?ask=1`]);
    const approvals = new Set<string>();
    for (const [client, address] of attempts) {
      const response = await client.send({ method: call.method, url: address, payload: body });
      const expectedBody = { code: 'approval_requested', approval: expect.any(String) };
      expect([response.status, response.body], `${name} ${response.text}`).toMatchObject([
        403,
        expectedBody,
      ]);
      approvals.add(response.body.approval);
    }
    // Identical requests about one object have the same approval, regardless of the API used.
    expect([...approvals], name).toHaveLength(1);
  }
  expect(await stateOf(owner.accountId)).toEqual(stateBefore);
  const { data } = (await owner.get('/client-api/api/approvals?state=open&limit=100')).body;
  const kinds = new Set(data.map(({ kind }: { kind: string }) => kind));
  expect(kinds).toEqual(new Set(calls.map(({ approval }) => approval?.kind)));
});
