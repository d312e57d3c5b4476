// EMAIL and SMS steps: passes subscribers who may be messaged now to delivery in sets, and holds
// the others without dropping any.
import { createMessageSource } from '#areas/content/server/index.ts';
import { type NewMessage, sendMany, countUnanswered } from '#areas/delivery/server/ledger/index.ts';
import { automatedSms } from '#areas/sms/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { stepEmail } from '../editing/email.ts';
import { findHolds } from './message-holds.ts';
import { decodeOptionalId } from '../steps/readiness.ts';
import type { StepRow } from '../steps/steps.sql.ts';
import {
  forAll,
  left,
  type Subscriber,
  type Result,
  type Results,
  type World,
} from '../steps/results.ts';
import { dataOf } from '../steps/tree.ts';

const MINUTE = 60_000;
/** Maximum number of unanswered messages of an account; above it the step holds subscribers. */
const MAX_UNANSWERED = 100_000;

export async function handOff(
  tx: Tx,
  step: StepRow,
  people: readonly Subscriber[],
  world: World,
): Promise<Results> {
  const { account_id: accountId } = step;
  const { now } = world;
  const results = await findHolds(tx, step, people, world);
  const sendable = people.filter((person) => !results.has(person.key));
  if (sendable.length === 0) return results;
  const isDry = world.dryFrom !== undefined;
  if (!isDry && (await countUnanswered(tx, accountId, MAX_UNANSWERED)) >= MAX_UNANSWERED) {
    const until = new Date(now.getTime() + MINUTE);
    const full: Result = { is: 'waits', until, isStarted: false, heldFor: 'backlog' };
    return new Map([...results, ...forAll(sendable, full)]);
  }
  const message = await messageOf(tx, step, world);
  const month = now.toISOString().slice(0, 7);
  const passes = Map.groupBy(sendable, (person) => (person.subject === 0 ? person.pass : 0));
  for (const [pass, group] of passes) {
    // Subscribers with a subject (cart, order) get their own message with its values.
    const list =
      pass > 0
        ? group.map((person) => person.subscriberId)
        : group.map(({ subscriberId, subject, facts, pass: own }) => ({
            ...{ subscriberId, key: `${subject}/${own}` },
            values: (facts ?? {}) as Record<string, string>,
          }));
    const { messageId, skipped } = await sendMany(tx, message, list, { pass, month });
    const reasons = new Map(skipped.map((leftOut) => [leftOut.subscriberId, leftOut.reason]));
    for (const { key, subscriberId } of group) {
      const reason = reasons.get(subscriberId);
      results.set(
        key,
        reason === undefined
          ? { is: 'left', path: 'TRUE', note: `message:${messageId}`, messageId }
          : left('TRUE', reason),
      );
      if (reason === undefined)
        world.contacts.set(subscriberId, [...(world.contacts.get(subscriberId) ?? []), now]);
    }
  }
  return results;
}

async function messageOf(tx: Tx, step: StepRow, { options }: World): Promise<NewMessage> {
  const { account_id: accountId, id: sourceId } = step;
  if (step.type === 'EMAIL') {
    const source = await createMessageSource(tx, stepEmail(step), options);
    return { accountId, kind: 'workflow', sourceId, source };
  }
  const data = dataOf(step, 'SMS');
  const { text, maxParts } = await automatedSms(
    tx,
    accountId,
    {
      phoneId: decodeOptionalId('phone', data.phone) ?? 0,
      title: data.title ?? '',
      text: data.text ?? '',
      hasPrefix: data.add_organization_name ?? true,
      hasOptOut: data.append_opt_out ?? true,
      hasAnalytics: data.google_analytics ?? false,
    },
    options.publicUrl,
  );
  return { accountId, kind: 'sms_workflow', sourceId, text, maxParts };
}
