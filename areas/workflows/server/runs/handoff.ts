// EMAIL and SMS steps: passes subscribers who may be messaged now to delivery in sets, and holds
// the others without dropping any.
import { createMessageSource } from '#areas/content/server/index.ts';
import { type NewMessage, sendMany, countUnanswered } from '#areas/delivery/server/ledger/index.ts';
import { createAutomatedSms } from '#areas/sms/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { getStepEmail } from '../editing/email.ts';
import { findHolds } from './message-holds.ts';
import { decodeOptionalId } from '../steps/readiness.ts';
import type { WorkflowStepRow } from '../steps/steps.sql.ts';
import {
  createResults,
  leaveStep,
  type StepEntrant,
  type StepResult,
  type StepResults,
  type StepContext,
} from '../steps/results.ts';
import { getStepData } from '../steps/tree.ts';

const MINUTE = 60_000;
/**
 * Maximum number of copies of an account's workflows without a final result. From this number on,
 * message steps hold subscribers.
 */
const MAX_UNANSWERED = 100_000;

export async function handOffMessages(
  tx: Tx,
  step: WorkflowStepRow,
  entrants: readonly StepEntrant[],
  context: StepContext,
): Promise<StepResults> {
  const { account_id: accountId } = step;
  const { now } = context;
  const results = await findHolds(tx, step, entrants, context);
  const sendable = entrants.filter((entrant) => !results.has(entrant.key));
  if (sendable.length === 0) return results;
  const isDry = context.dryRunStart !== undefined;
  if (!isDry && (await countUnanswered(tx, accountId, MAX_UNANSWERED)) >= MAX_UNANSWERED) {
    const until = new Date(now.getTime() + MINUTE);
    const backlogResult: StepResult = {
      kind: 'waits',
      until,
      isStarted: false,
      holdReason: 'backlog',
    };
    return new Map([...results, ...createResults(sendable, backlogResult)]);
  }
  const message = await createMessage(tx, step, context);
  const month = now.toISOString().slice(0, 7);
  const entrantsByPass = Map.groupBy(sendable, (entrant) =>
    entrant.subject === 0 ? entrant.pass : 0,
  );
  for (const [pass, group] of entrantsByPass) {
    // Subscribers with a subject (cart, order) get a separate message with the subject's values.
    const list =
      pass > 0
        ? group.map((entrant) => entrant.subscriberId)
        : group.map(({ subscriberId, subject, facts, pass: passNumber }) => ({
            ...{ subscriberId, key: `${subject}/${passNumber}` },
            values: (facts ?? {}) as Record<string, string>,
          }));
    const { messageId, skipped } = await sendMany(tx, message, list, { pass, month });
    const reasons = new Map(
      skipped.map((skippedRun) => [skippedRun.subscriberId, skippedRun.reason]),
    );
    for (const { key, subscriberId } of group) {
      const reason = reasons.get(subscriberId);
      results.set(
        key,
        reason === undefined
          ? { kind: 'left', path: 'TRUE', note: `message:${messageId}`, messageId }
          : leaveStep('TRUE', reason),
      );
      if (reason === undefined)
        context.handoffTimes.set(subscriberId, [
          ...(context.handoffTimes.get(subscriberId) ?? []),
          now,
        ]);
    }
  }
  return results;
}

async function createMessage(
  tx: Tx,
  step: WorkflowStepRow,
  { options }: StepContext,
): Promise<NewMessage> {
  const { account_id: accountId, id: sourceId } = step;
  if (step.type === 'EMAIL') {
    const source = await createMessageSource(tx, getStepEmail(step), options);
    return { accountId, kind: 'workflow', sourceId, source };
  }
  const data = getStepData(step, 'SMS');
  const { text, maxParts } = await createAutomatedSms(
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
