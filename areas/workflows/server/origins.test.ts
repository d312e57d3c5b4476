// Changes through the public API start workflows unless the call opts out, and subscribers who wait
// for a date follow its changes.
import { expect, test } from 'vitest';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { publicClient } from '#testing/setup/public-client.ts';
import {
  runInTransaction,
  ada,
  DAY,
  dayFromNow,
  createField,
  kit,
  owner,
  server,
  setField,
} from '#testing/worlds/workflow-facts.ts';
import { setFieldValue } from '#areas/subscribers/server/index.ts';

const ADA = 'person1@gmail.com';

/** @returns the subscribers that an API call enters into a workflow with this trigger */
async function startedBy(
  definition: object,
  happens: (
    api: Awaited<ReturnType<typeof publicClient>>,
  ) => Promise<{ status: number; text?: string }>,
) {
  const tree = await kit.workflow(definition);
  await tree.add(tree.trigger, 'ACTION', { action: 'END' });
  await tree.activate();
  await kit.turns();
  const response = await happens(await publicClient(server, owner));
  expect(response.status, response.text).toBe(200);
  await kit.turns();
  return (await tree.people()).map((run) => run.subscriber_id);
}

const city = async () => {
  const { id } = await createField('City', 'text');
  return { triggerType: 'FIELD_UPDATE', fields: [id] };
};
const UNSUBSCRIBE = { triggerType: 'UNSUBSCRIBE' };
const paris = { fields: { city: 'Paris' } };
const quietFlag = { trigger_automation: false };

test.each([
  ['a saved subscriber', city, (api) => api.post('/subscribers', { email: ADA, ...paris })],
  ['an updated subscriber', city, (api) => api.patch(`/subscribers/${ADA}`, paris)],
  [
    'a field value',
    city,
    (api) => api.patch(`/subscribers/${ADA}/fields/city`, { value: 'Paris' }),
  ],
  [
    'a status',
    async () => UNSUBSCRIBE,
    (api) => api.patch(`/subscribers/${ADA}`, { subscriber_status: 'UNSUBSCRIBED' }),
  ],
  [
    'an unsubscribe of several subscribers',
    async () => UNSUBSCRIBE,
    (api) => api.post('/unsubscribes', { subscribers: [ADA] }),
  ],
] as [string, () => Promise<object>, Parameters<typeof startedBy>[1]][])(
  'a change through the API starts a workflow: %s',
  async (_, definition, happens) => {
    expect(await startedBy(await definition(), happens)).toEqual([encodeId('subscriber', ada)]);
  },
);

test.each([
  [
    'a saved subscriber',
    city,
    (api) => api.post('/subscribers', { email: ADA, ...paris, ...quietFlag }),
  ],
  [
    'an updated subscriber',
    city,
    (api) => api.patch(`/subscribers/${ADA}`, { ...paris, ...quietFlag }),
  ],
  [
    'a status',
    async () => UNSUBSCRIBE,
    (api) => api.patch(`/subscribers/${ADA}`, { subscriber_status: 'UNSUBSCRIBED', ...quietFlag }),
  ],
] as [string, () => Promise<object>, Parameters<typeof startedBy>[1]][])(
  'a change through the API does not start a workflow when the call opts out: %s',
  async (_, definition, happens) => {
    expect(await startedBy(await definition(), happens)).toEqual([]);
  },
);

async function waiting() {
  const day = await createField('Day', 'datetime');
  await setField(ada, day.number, dayFromNow(10));
  const group = await kit.group('Tea');
  const tree = await kit.workflow({ triggerType: 'LIST_ADD', listId: group.id });
  const wait = await tree.add(tree.trigger, 'delay', { delay_type: 'FIELD', field: day.id });
  await tree.add(wait, 'ACTION', { action: 'END' });
  await tree.activate();
  await kit.turns();
  await kit.join(group.number, [ada]);
  await kit.turns();
  const readOutcome = async () => (await tree.people())[0]?.outcome ?? null;
  expect(await readOutcome()).toBeNull();
  return { day, outcome: readOutcome };
}

test('subscribers who wait for a date wait longer when the date moves later, and leave when it is reached', async () => {
  const { day, outcome } = await waiting();
  await setField(ada, day.number, dayFromNow(20));
  await kit.turns();
  clock.advance(12 * DAY);
  await kit.turns();
  // The clock is reset because the session has expired at this time.
  clock.reset();
  expect(await outcome()).toBeNull();
  clock.advance(22 * DAY);
  await kit.turns();
  clock.reset();
  expect(await outcome()).toBe('action_end');
});

test('subscribers who wait for a date leave earlier when the date moves earlier, even by a manual change', async () => {
  const { day, outcome } = await waiting();
  const change = { fieldId: day.number, value: dayFromNow(3) };
  await runInTransaction((tx) =>
    setFieldValue(tx, owner.accountId, [ada], change, { origin: 'bulk' }),
  );
  await kit.turns();
  expect(await outcome()).toBeNull();
  clock.advance(4 * DAY);
  await kit.turns();
  clock.reset();
  expect(await outcome()).toBe('action_end');
});

test('subscribers who wait for a date leave when the date is cleared', async () => {
  const { day, outcome } = await waiting();
  const change = { fieldId: day.number, value: null };
  await runInTransaction((tx) =>
    setFieldValue(tx, owner.accountId, [ada], change, { origin: 'api' }),
  );
  await kit.turns();
  expect(await outcome()).toBe('action_end');
});
