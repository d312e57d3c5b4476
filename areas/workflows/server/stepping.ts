// What each step does with the people who come to it, in sets, and where they go on.
import { readAccount } from '#areas/accounts/server/index.ts';
import { messageSource, type SendingOptions } from '#areas/content/server/index.ts';
import { sendMany, statesOf, unansweredOf } from '#areas/delivery/server/index.ts';
import { readFieldValue } from '#areas/fields/server/index.ts';
import { addToGroups, removeFromGroups } from '#areas/groups/server/index.ts';
import { matching } from '#areas/segments/server/index.ts';
import { setFieldValue, unsubscribe } from '#areas/subscribers/server/index.ts';
import type { Tx } from '#platform/server/database.ts';
import type { StepData } from '../contract.ts';
import { endOfDelay } from './delays.ts';
import { emailOf } from './email.ts';
import { numberOf } from './readiness.ts';
import { readPeople, whoDid } from './runs.sql.ts';
import { pathOf, placeOf } from './shares.ts';
import type { StepRow } from './steps.sql.ts';
import { dataOf } from './tree.ts';

export type Person = {
  subscriberId: number;
  pass: number;
  depth: number;
  /** The message that each EMAIL step became for them. */
  messages: ReadonlyMap<number, number>;
};

/** What becomes of one person at a step. */
export type Result =
  | { is: 'left'; path: string; note: string }
  /** Stands there until; `isBegun`: then goes on, else comes to the step again. */
  | { is: 'waits'; until: Date; isBegun: boolean }
  | { is: 'ended'; outcome: string };

export type Results = ReadonlyMap<number, Result>;

const HOUR = 3_600_000;
/** An account hands over no more while so many of its copies have no answer. */
const UNANSWERED_MOST = 100_000;

const left = (path: string, note = ''): Result => ({ is: 'left', path, note });

export function takeStep(
  tx: Tx,
  step: StepRow,
  people: readonly Person[],
  { now, options }: { now: Date; options: SendingOptions },
): Promise<Results> {
  switch (step.type) {
    case 'delay':
      return delay(tx, step, people, now);
    case 'CONDITION':
      return condition(tx, step, people, now);
    case 'ACTION':
      return action(tx, step, people);
    case 'EMAIL':
      return email(tx, step, people, now, options);
    default:
      return Promise.resolve(forAll(people, left('TRUE')));
  }
}

const forAll = (people: readonly Person[], result: Result): Results =>
  new Map(people.map((one) => [one.subscriberId, result]));

const idsOf = (people: readonly Person[]) => people.map((one) => one.subscriberId);

async function delay(
  tx: Tx,
  step: StepRow,
  people: readonly Person[],
  now: Date,
): Promise<Results> {
  const data = dataOf(step, 'delay') as StepData['delay'];
  const facts = await readPeople(tx, step.account_id, idsOf(people));
  const { timezone } = await readAccount(tx, step.account_id);
  const field = numberOf('field', data.field);
  return new Map(
    idsOf(people).map((id) => {
      const person = facts.get(id);
      const values = (person?.field_values ?? {}) as Record<string, string | number>;
      // A chosen date is one instant for everybody: the account's.
      const zone = (data.delay_type === 'DATE' ? null : person?.timezone) ?? timezone;
      const fieldValue = field === undefined ? undefined : values[field];
      const until = endOfDelay(data, { at: now, zone, fieldValue });
      return [id, until ? { is: 'waits', until, isBegun: true } : left('TRUE', 'no_wait')];
    }),
  );
}

async function condition(
  tx: Tx,
  step: StepRow,
  people: readonly Person[],
  now: Date,
): Promise<Results> {
  const { kind, conditions = [], shares = [] } = dataOf(step, 'CONDITION');
  if (kind === 'split') {
    return new Map(
      idsOf(people).map((id) => {
        const path = pathOf(shares, placeOf(`split/${step.id}`, id)) ?? 'A';
        return [id, left(path, path)];
      }),
    );
  }
  if (kind === 'activity') return activity(tx, step, people, now);
  const yes = new Set(await matching(tx, step.account_id, conditions as never, idsOf(people), now));
  return new Map(idsOf(people).map((id) => [id, answer(yes.has(id))]));
}

const answer = (isSo: boolean): Result => left(isSo ? 'TRUE' : 'FALSE', isSo ? 'TRUE' : 'FALSE');

/** Asked about an email that has not left yet, they wait an hour rather than go to No. */
async function activity(
  tx: Tx,
  step: StepRow,
  people: readonly Person[],
  now: Date,
): Promise<Results> {
  const { activity: what = 'opened', step_id } = dataOf(step, 'CONDITION');
  const emailStep = numberOf('step', step_id) ?? 0;
  const results = new Map<number, Result>();
  const byMessage = Map.groupBy(people, (one) => one.messages.get(emailStep));
  for (const [messageId, group] of byMessage) {
    const ids = idsOf(group);
    if (messageId === undefined) {
      for (const id of ids) results.set(id, answer(false));
      continue;
    }
    const did = new Set(await whoDid(tx, step.account_id, what, messageId, ids));
    const states = await statesOf(tx, step.account_id, messageId, ids, now);
    const waiting = new Set(
      states
        .filter((one) => ['pending', 'deferred', 'handing_over'].includes(one.state))
        .map((one) => one.subscriberId),
    );
    const later = new Date(now.getTime() + HOUR);
    for (const id of ids) {
      const isEarly = waiting.has(id) && !did.has(id);
      results.set(
        id,
        isEarly ? { is: 'waits', until: later, isBegun: false } : answer(did.has(id)),
      );
    }
  }
  return results;
}

async function action(tx: Tx, step: StepRow, people: readonly Person[]): Promise<Results> {
  const { action: what } = dataOf(step, 'ACTION');
  if (what === 'END') return forAll(people, { is: 'ended', outcome: 'action_end' });
  for (const [depth, group] of Map.groupBy(people, (one) => one.depth)) {
    await act(tx, step, idsOf(group), depth + 1);
  }
  return forAll(people, left('TRUE', 'done'));
}

async function act(tx: Tx, step: StepRow, subscriberIds: number[], depth: number): Promise<void> {
  const { account_id: accountId } = step;
  const { action: what, group, from_group: from, field, value } = dataOf(step, 'ACTION');
  const cause = { origin: 'workflow', depth } as const;
  const groups = (id: string | undefined) => [numberOf('group', id) ?? 0];
  if (what === 'MOVE' || what === 'COPY')
    await addToGroups(tx, accountId, { groupIds: groups(group), subscriberIds, ...cause });
  if (what === 'MOVE')
    await removeFromGroups(tx, accountId, { groupIds: groups(from), subscriberIds, ...cause });
  if (what === 'REMOVE')
    await removeFromGroups(tx, accountId, { groupIds: groups(group), subscriberIds, ...cause });
  if (what === 'UNSUBSCRIBE')
    await unsubscribe(
      tx,
      accountId,
      { subscriberIds },
      { channel: 'email', reason: 'workflow', cause },
    );
  if (what === 'FIELD') {
    const fieldId = numberOf('field', field) ?? 0;
    const read = await readFieldValue(tx, accountId, fieldId, value ?? null);
    await setFieldValue(tx, accountId, subscriberIds, { fieldId, value: read }, cause);
  }
}

async function email(
  tx: Tx,
  step: StepRow,
  people: readonly Person[],
  now: Date,
  options: SendingOptions,
): Promise<Results> {
  const { account_id: accountId } = step;
  const unanswered = await unansweredOf(tx, accountId, UNANSWERED_MOST);
  if (unanswered >= UNANSWERED_MOST) {
    return forAll(people, { is: 'waits', until: new Date(now.getTime() + 60_000), isBegun: false });
  }
  const source = await messageSource(tx, emailOf(step), options);
  const message = { accountId, kind: 'workflow', sourceId: step.id, source } as const;
  const results = new Map<number, Result>();
  for (const [pass, group] of Map.groupBy(people, (one) => one.pass)) {
    const stream = { pass, month: now.toISOString().slice(0, 7) };
    const { messageId, skipped } = await sendMany(tx, message, idsOf(group), stream);
    for (const id of idsOf(group)) results.set(id, left('TRUE', `message:${messageId}`));
    for (const { subscriberId, reason } of skipped) results.set(subscriberId, left('TRUE', reason));
  }
  return results;
}
