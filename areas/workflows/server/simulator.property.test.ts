// Property: for any tree, subscribers, engagement, polling times and removed steps, the engine
// agrees to the minute with a slow, straightforward simulator, across changes of daylight saving
// time and days of downtime.
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { removeFromGroups } from '#areas/groups/server/index.ts';
import { engagementRecorded } from '#areas/tracking/server/index.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import { addPeople } from '#testing/worlds/sending-helpers.ts';
import { testServer } from '#testing/setup/server.ts';
import { EMAIL, workflowBuilder } from '#testing/worlds/workflow-builder.ts';
import { type SimEvent, type SimStep, Simulator } from '#testing/oracles/workflow-simulator.ts';
import { propertyOptions } from '#testing/setup/property-runs.ts';
import { removeStep } from './editing/steps.ts';
import { activateWorkflow, deactivateWorkflow } from './workflows.ts';

const server = await testServer();
const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const ZONES = ['Europe/Oslo', 'America/New_York', 'Asia/Tehran', 'Pacific/Auckland'];
/** Each start is a few days before a change of daylight saving time. */
const STARTS = ['2027-03-11T06:00:00Z', '2027-03-24T06:00:00Z', '2027-10-28T06:00:00Z'];
const GROUPS = 4;

const spec = fc.record({
  slot: fc.nat(),
  kind: fc.constantFrom(
    ...([
      'delay',
      'delay',
      'resume',
      'until',
      'EMAIL',
      'EMAIL',
      'group',
      'opened',
      'split',
    ] as const),
    ...(['COPY', 'MOVE', 'REMOVE', 'UNSUBSCRIBE', 'END'] as const),
  ),
  amount: fc.integer({ min: 1, max: 5 }),
  unit: fc.constantFrom('MINUTES', 'HOURS', 'DAYS', 'WEEKS', 'MONTHS'),
  days: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { maxLength: 3 }),
  time: fc.constantFrom('05:00', '09:30', '17:15', '23:45'),
  group: fc.nat({ max: GROUPS - 1 }),
  from: fc.nat({ max: GROUPS - 1 }),
  share: fc.integer({ min: 1, max: 99 }),
});
const at = fc.integer({ min: 1, max: 40 * 1440 });
const event = fc.record({
  at,
  is: fc.constantFrom(
    ...(['joined', 'joined', 'joined', 'left', 'opened', 'opened', 'joined by hand'] as const),
    ...(['removed', 'deactivated'] as const),
  ),
  person: fc.nat(),
  group: fc.nat({ max: GROUPS - 1 }),
  lasts: fc.integer({ min: 1, max: 3 * 1440 }),
});
const arbitraryWorld = fc.record({
  start: fc.constantFrom(...STARTS),
  reentry: fc.constantFrom('ended' as const, 'never' as const),
  specs: fc.array(spec, { minLength: 2, maxLength: 10 }),
  events: fc.array(event, { maxLength: 18 }),
  turns: fc.array(at, { minLength: 10, maxLength: 24 }),
});
type SimulatedWorld = typeof arbitraryWorld extends fc.Arbitrary<infer T> ? T : never;

/**
 * The tree of the simulator while it grows: its steps, the emails that they refer to, and free
 * slots for further steps.
 */
class GrowingTree {
  readonly steps: SimStep[] = [];
  readonly referredTo = new Set<number>();
  private readonly slots: [parent: number, path: string][] = [];

  constructor(trigger: number) {
    this.steps.push({ id: trigger, type: 'trigger', parent: null, path: 'TRUE', data: {} });
    this.slots.push([trigger, 'TRUE']);
  }

  take(slot: number): [parent: number, path: string] {
    return this.slots.splice(slot % this.slots.length, 1)[0] as [number, string];
  }

  hasSlot = () => this.slots.length > 0;

  add(step: SimStep, paths: readonly string[]): void {
    this.steps.push(step);
    for (const path of paths) this.slots.push([step.id, path]);
  }

  findEmailAbove(id: number): number | undefined {
    for (let at: number | null = id; at !== null; ) {
      const step = this.steps.find((step) => step.id === at) as SimStep;
      if (step.type === 'EMAIL') return step.id;
      at = step.parent;
    }
    return undefined;
  }
}

const decodeStepId = (id: string) => decodeId('step', id) as number;

async function setUpScenario(scenario: SimulatedWorld) {
  const owner = await server.owner();
  const kit = workflowBuilder(server, owner);
  const groups: { id: string; number: number }[] = [];
  for (let n = 0; n < GROUPS; n++) groups.push(await kit.group(`Group ${n}`));
  const groupOf = (n: number) => groups[n] as { id: string; number: number };
  const ids = await addPeople(server.db, owner.accountId, 4);
  for (const [n, zone] of ZONES.entries()) {
    await sql`update subscribers set timezone = ${zone}
      where account_id = ${owner.accountId} and id % 4 = ${n}`.execute(server.db);
  }
  const tree = await kit.workflow({ triggerType: 'LIST_ADD', listId: groupOf(0).id });
  await tree.set({ reentry: scenario.reentry });
  const growingTree = new GrowingTree(decodeStepId(tree.trigger));
  const add = async (
    slot: [number, string],
    type: SimStep['type'],
    product: object,
    data: Record<string, unknown>,
    paths: readonly string[],
  ) => {
    const [parent, path] = slot;
    const id = await tree.add(encodeId('step', parent), type, product, path);
    if (type === 'EMAIL') await kit.write(id);
    growingTree.add({ id: decodeStepId(id), type, parent, path, data }, paths);
  };
  // This step is never removed, so that the workflow can be activated again.
  await add(
    growingTree.take(0),
    'ACTION',
    { action: 'COPY', group: groupOf(3).id },
    { action: 'COPY', group: groupOf(3).number },
    ['TRUE'],
  );
  const lastId = growingTree.steps.at(-1)?.id as number;
  for (const spec of scenario.specs) {
    if (!growingTree.hasSlot()) break;
    const slot = growingTree.take(spec.slot);
    const { amount, unit, kind } = spec;
    const above = growingTree.findEmailAbove(slot[0]);
    const [to, from] = [groupOf(spec.group), groupOf(spec.from)];
    if (kind === 'delay') {
      const data = { delay_type: unit, amount };
      await add(slot, 'delay', data, data, ['TRUE']);
    } else if (kind === 'resume') {
      const data = { delay_type: 'HOURS', amount, resume_days: spec.days, resume_time: spec.time };
      await add(slot, 'delay', data, data, ['TRUE']);
    } else if (kind === 'until' && above !== undefined) {
      growingTree.referredTo.add(above);
      const data = { delay_type: 'UNTIL', amount, unit };
      const until = { kind: 'activity', activity: 'opened', step_id: encodeId('step', above) };
      await add(slot, 'delay', { ...data, until }, { ...data, until: { step: above } }, ['TRUE']);
    } else if (kind === 'opened' && above !== undefined) {
      growingTree.referredTo.add(above);
      const condition = { kind: 'activity', activity: 'opened', step_id: encodeId('step', above) };
      await add(slot, 'CONDITION', condition, { kind: 'activity', asked: above }, [
        'TRUE',
        'FALSE',
      ]);
    } else if (kind === 'split') {
      const shares = [
        { path: 'A', share: spec.share },
        { path: 'B', share: 100 - spec.share },
      ];
      await add(slot, 'CONDITION', { kind, shares }, { kind, shares }, ['A', 'B']);
    } else if (kind === 'EMAIL') {
      await add(slot, 'EMAIL', EMAIL, {}, ['TRUE']);
    } else if (['COPY', 'MOVE', 'REMOVE', 'UNSUBSCRIBE', 'END'].includes(kind)) {
      const actionData = { action: kind, group: to.id, from_group: from.id };
      await add(slot, 'ACTION', actionData, { action: kind, group: to.number, from: from.number }, [
        'TRUE',
      ]);
    } else {
      const conditions = [{ type: 'tag', operator: 'have', operand: to.id }];
      const data = { kind: 'segment', group: to.number };
      await add(slot, 'CONDITION', { kind: 'segment', conditions }, data, ['TRUE', 'FALSE']);
    }
  }
  return { owner, kit, tree, growingTree, ids, groupOf, last: lastId };
}

type SimulatedScenario = Awaited<ReturnType<typeof setUpScenario>>;

/**
 * Lists events in order of time. The server takes turns at the times of the scenario, and twice at
 * the end.
 */
function createTimeline(
  scenario: SimulatedWorld,
  { growingTree, ids, groupOf, last: lastId }: SimulatedScenario,
  start: number,
): SimEvent[] {
  const events: SimEvent[] = scenario.turns.map((turn) => ({
    at: start + turn * MINUTE,
    kind: 'turn',
  }));
  let activeFrom = 0;
  for (const event of [...scenario.events].sort((a, b) => a.at - b.at)) {
    const eventTime = start + event.at * MINUTE;
    const subscriberId = ids[event.person % ids.length] as number;
    if (event.is === 'removed') {
      const removable = growingTree.steps.filter(
        (step) =>
          step.type !== 'trigger' && step.id !== lastId && !growingTree.referredTo.has(step.id),
      );
      const step = removable[event.person % (removable.length || 1)];
      if (step) events.push({ at: eventTime, kind: 'removed', step: step.id });
    } else if (event.is === 'deactivated') {
      if (eventTime <= activeFrom) continue;
      activeFrom = eventTime + event.lasts * MINUTE;
      events.push({ at: eventTime, kind: 'deactivated' }, { at: activeFrom, kind: 'activated' });
    } else {
      // Most events use the group of the trigger; otherwise, few subscribers would enter.
      const group = groupOf(event.lasts % 2 === 0 ? 0 : event.group).number;
      events.push({ at: eventTime, kind: event.is, subscriberId, group } as SimEvent);
    }
  }
  for (const [n, subscriberId] of ids.entries())
    events.push({ at: start + n * DAY, kind: 'joined', subscriberId, group: groupOf(0).number });
  events.push({ at: start + 200 * DAY, kind: 'turn' }, { at: start + 260 * DAY, kind: 'turn' });
  return events.sort((a, b) => a.at - b.at);
}

const inTx = <T>(work: (tx: Tx) => Promise<T>) => inTransaction(server.db, work);

async function applyEvent(stagedScenario: SimulatedScenario, event: SimEvent): Promise<void> {
  const { owner, kit, tree } = stagedScenario;
  const { accountId, userId } = owner;
  const id = decodeId('workflow', tree.id) as number;
  clock.freeze(new Date(event.at));
  switch (event.kind) {
    case 'joined':
      return void (await kit.join(event.group, [event.subscriberId]));
    case 'joined by hand':
      return void (await kit.join(event.group, [event.subscriberId], 'bulk'));
    case 'left':
      return void (await inTx((tx) =>
        removeFromGroups(tx, accountId, {
          ...{ groupIds: [event.group], subscriberIds: [event.subscriberId], origin: 'person' },
        }),
      ));
    case 'opened':
      return openMessages(accountId, event.subscriberId);
    case 'removed': {
      const step = stagedScenario.growingTree.steps.find(
        (step) => step.id === event.step,
      ) as SimStep;
      const path = step.data.kind === 'split' ? 'A' : 'TRUE';
      const removal = { delete_all_below: false, condition_path: path };
      return inTx((tx) => removeStep(tx, { accountId, userId }, id, event.step, removal));
    }
    case 'activated':
      return void (await inTx((tx) => activateWorkflow(tx, accountId, id)));
    case 'deactivated':
      return void (await inTx((tx) => deactivateWorkflow(tx, accountId, id)));
    default:
      return kit.turns();
  }
}

/** Records opens of all messages sent to the subscriber so far. */
async function openMessages(accountId: number, subscriberId: number): Promise<void> {
  const now = clock.now();
  await sql`
    insert into outcomes (account_id, subscriber_id, message_id, first_open_at, first_human_open_at)
    select account_id, subscriber_id, message_id, ${now}, ${now} from recipients
    where account_id = ${accountId} and subscriber_id = ${subscriberId}
    on conflict (account_id, subscriber_id, message_id) do nothing`.execute(server.db);
  const openEvent = { kind: 'open', messageId: 1, verdict: 'human', position: null } as const;
  const engagement = [{ ...openEvent, subscriberId, at: now }];
  await inTx((tx) => engagementRecorded.announce(tx, { accountId, engagement }));
}

type PassSummary = [
  number,
  number,
  string | null,
  number,
  string | null,
  [number, string, string][],
];

async function readPasses(accountId: number): Promise<PassSummary[]> {
  type SimulatedRow = {
    p: number;
    n: number;
    o: string | null;
    s: number;
    h: string | null;
    t: never;
  };
  const { rows } = await sql<SimulatedRow>`
    select subscriber_id as p, pass as n, outcome as o, step_id as s, held_for as h, trail as t
    from workflow_runs where account_id = ${accountId}
    union all
    select subscriber_id, pass, outcome, 0, null, trail
    from workflow_past_passes where account_id = ${accountId}
    order by 1, 2`.execute(server.db);
  return rows.map(({ p, n, o, s, h, t }) => [p, n, o, o === null ? s : 0, h, describeTrail(t)]);
}

const describeTrail = (trail: [number, number, string][]): [number, string, string][] =>
  trail.map(([step, eventTime, note]) => [
    step,
    new Date(eventTime).toISOString(),
    simplifyNote(note),
  ]);

const simplifyNote = (note: string) => {
  if (note.startsWith('message:')) return 'sent';
  return note === 'unsubscribed' ? 'skipped' : note;
};

/** A subscriber is late at an email that is removed, and no other subscriber is due. */
const LATE_AT_A_REMOVED_STEP: SimulatedWorld = {
  start: '2027-03-11T06:00:00Z',
  reentry: 'ended',
  specs: (['delay', 'EMAIL', 'delay'] as const).map((kind) => ({
    ...{ slot: 0, kind, amount: 1, unit: 'MINUTES' as const, days: [], time: '05:00' },
    ...{ group: 0, from: 0, share: 1 },
  })),
  events: [
    { at: 4322, is: 'removed', person: 469762045, group: 0, lasts: 1 },
    { at: 1, is: 'removed', person: 2080374776, group: 0, lasts: 1 },
  ],
  turns: [1, 1, 1, 4321, 1, 1, 1, 1, 1, 4322],
};

test('the engine and the simulator agree on random workflows', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryWorld, async (scenario) => {
      clock.freeze(undefined);
      const stagedScenario = await setUpScenario(scenario);
      const start = Date.parse(scenario.start);
      const timeline = createTimeline(scenario, stagedScenario, start);
      const { accountId } = stagedScenario.owner;
      try {
        clock.freeze(new Date(start));
        await inTx((tx) =>
          activateWorkflow(tx, accountId, decodeId('workflow', stagedScenario.tree.id) as number),
        );
        const subscribers = stagedScenario.ids.map((id) => ({
          ...{ id, zone: ZONES[id % 4] as string, groups: new Set<number>(), isSubscribed: true },
        }));
        const simulator = new Simulator({
          ...{
            steps: stagedScenario.growingTree.steps,
            subscribers,
            start: stagedScenario.groupOf(0).number,
          },
          ...{ reentry: scenario.reentry, activatedAt: start },
        });
        for (const event of timeline) {
          await applyEvent(stagedScenario, event).catch((error) => {
            // A step removed together with its parent cannot be removed again.
            if (event.kind !== 'removed') throw error;
          });
        }
        const expected = simulator
          .play(timeline)
          .map(
            (simPass): PassSummary => [
              ...([
                simPass.subscriberId,
                simPass.pass,
                simPass.outcome,
                simPass.outcome === null ? simPass.step : 0,
              ] as const),
              ...([simPass.heldFor, describeTrail(simPass.trail)] as const),
            ],
          )
          .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
        expect(await readPasses(accountId)).toEqual(expected);
      } finally {
        clock.reset();
      }
    }),
    { ...propertyOptions(60, 6), examples: [[LATE_AT_A_REMOVED_STEP]] },
  );
});
