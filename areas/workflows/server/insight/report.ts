// Reports of workflows: email totals, step statistics, subscriber counts, goal rates and revenue.
import { countRecipients, readDelivery } from '#areas/delivery/server/ledger/index.ts';
import { readAttributedRevenue } from '#areas/stores/server/index.ts';
import { computeFigures, readEngagement } from '#areas/tracking/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { WorkflowFullReport, WorkflowReport } from '../../contract.ts';
import type { StepType } from '../../shared.ts';
import { readWorkflowSettings } from '../runs/active.ts';
import { findMessagesOfSteps } from '../runs/activity.sql.ts';
import { readStepCounts } from '../runs/counts.sql.ts';
import { countGoal, countLateMessages, countOutcomes } from '../history.sql.ts';
import { countSubscribersByStep, countSubscribers, readSteps } from '../steps/steps.sql.ts';
import type { WorkflowRow } from '../workflows.sql.ts';

/** Sums the email statistics of these workflows, including removed steps. */
export async function readReports(
  db: Reader,
  accountId: number,
  workflowIds: readonly number[],
): Promise<(workflowId: number) => WorkflowReport> {
  const steps = await readSteps(db, accountId, workflowIds, 'all');
  const emailSteps = steps.filter((step) => step.type === 'EMAIL');
  const owners = new Map(emailSteps.map((step) => [step.id, step.workflow_id]));
  const messages = await findMessagesOfSteps(db, accountId, [...owners.keys()]);
  const messageFigures = await readMessageFigures(db, accountId, messages);
  return (workflowId) => {
    const messagesOfWorkflow = messages.filter(
      (message) => owners.get(message.step_id) === workflowId,
    );
    return createReport(
      messagesOfWorkflow.flatMap((sentMessage) => messageFigures.get(sentMessage.message_id) ?? []),
    );
  };
}

/** Returns the full report of an active or former workflow. */
export async function getFullReport(db: Tx, row: WorkflowRow): Promise<WorkflowFullReport> {
  const { account_id: accountId, id } = row;
  const steps = await readSteps(db, accountId, [id], 'all');
  const counts = Map.groupBy(await readStepCounts(db, accountId, id), (count) => count.stepId);
  const countByStep = await countSubscribersByStep(db, accountId, [id]);
  const subscriberCounts = (await countSubscribers(db, accountId, [id])).get(id);
  const byStep = await reportsBySteps(db, accountId, steps);
  const ids = steps.map((step) => step.id);
  const messages = await findMessagesOfSteps(db, accountId, ids);
  const earnedByStep = await listRevenueBySteps(db, accountId, messages);
  const messageIds = messages.map((message) => message.message_id);
  const revenue = await readAttributedRevenue(db, accountId, messageIds);
  const visibleSteps = steps.filter((step) => step.removed_at === null || counts.has(step.id));
  return {
    entered: subscriberCounts?.entered ?? 0,
    inside: subscriberCounts?.inside ?? 0,
    ended: await countOutcomes(db, accountId, id),
    late: await countLateMessages(db, accountId, id),
    goal: readWorkflowSettings(row).goal
      ? createGoalReport(await countGoal(db, accountId, id))
      : null,
    figures: (await readReports(db, accountId, [id]))(id),
    // Only revenue per recipient needs the count, which reads every copy and takes 1.1 s for
    // 200,000.
    recipients: revenue?.length ? await countRecipients(db, accountId, messageIds) : null,
    earned: revenue,
    steps: visibleSteps.map((step) => {
      const stepCounts = counts.get(step.id) ?? [];
      return {
        step_id: encodeId('step', step.id),
        type: step.type as StepType,
        is_removed: step.removed_at !== null,
        entered: stepCounts.find((stepCount) => stepCount.outcome === 'entered')?.people ?? 0,
        here: countByStep.get(step.id) ?? 0,
        left: stepCounts
          .filter((stepCount) => stepCount.outcome !== 'entered')
          .map(({ outcome, people: count }) => ({ outcome, people: count })),
        figures: step.type === 'EMAIL' || step.type === 'SMS' ? byStep(step.id) : null,
        earned: earnedByStep.get(step.id) ?? null,
      };
    }),
  };
}

async function listRevenueBySteps(
  db: Tx,
  accountId: number,
  messages: Awaited<ReturnType<typeof findMessagesOfSteps>>,
): Promise<Map<number, WorkflowFullReport['earned']>> {
  const revenueByStep = new Map<number, WorkflowFullReport['earned']>();
  for (const [stepId, own] of Map.groupBy(messages, (message) => message.step_id))
    revenueByStep.set(
      stepId,
      await readAttributedRevenue(
        db,
        accountId,
        own.map((sentMessage) => sentMessage.message_id),
      ),
    );
  return revenueByStep;
}

async function reportsBySteps(db: Reader, accountId: number, steps: readonly { id: number }[]) {
  const ids = steps.map((step) => step.id);
  const messages = await findMessagesOfSteps(db, accountId, ids);
  const messageFigures = await readMessageFigures(db, accountId, messages);
  return (stepId: number) =>
    createReport(
      messages.flatMap((message) =>
        message.step_id === stepId ? (messageFigures.get(message.message_id) ?? []) : [],
      ),
    );
}

async function readMessageFigures(
  db: Reader,
  accountId: number,
  messages: readonly { message_id: number }[],
) {
  const ids = messages.map((message) => message.message_id);
  const deliveries = await readDelivery(db, accountId, ids);
  const engagement = await readEngagement(db, accountId, ids);
  return new Map(
    deliveries.map((delivery) => [
      delivery.messageId,
      computeFigures(delivery, engagement.get(delivery.messageId)),
    ]),
  );
}

const computePercent = (count: number, total: number) =>
  total === 0 ? 0 : Math.round((count / total) * 10_000) / 100;

function createGoalReport(rows: Awaited<ReturnType<typeof countGoal>>): WorkflowFullReport['goal'] {
  const included = rows.find((row) => !row.isHeldOut) ?? { people: 0, reached: 0 };
  const heldOut = rows.find((row) => row.isHeldOut) ?? { people: 0, reached: 0 };
  const rate = computePercent(included.reached, included.people);
  const heldOutRate = computePercent(heldOut.reached, heldOut.people);
  return {
    ...{ reached: included.reached, of: included.people, rate },
    ...{ held_out_reached: heldOut.reached, held_out: heldOut.people, held_out_rate: heldOutRate },
    difference: heldOut.people === 0 ? null : Math.round((rate - heldOutRate) * 100) / 100,
  };
}

function createReport(figures: readonly ReturnType<typeof computeFigures>[]): WorkflowReport {
  const sum = (value: (figures: ReturnType<typeof computeFigures>) => number) =>
    figures.reduce((total, step) => total + value(step), 0);
  const sent = sum((figures) => figures.sent);
  const opened = sum((figures) => figures.human_opens);
  const clicked = sum((figures) => figures.human_clicks);
  const unsubscribed = sum((figures) => figures.unsubscribes);
  const bounced = sum((figures) => figures.sent - figures.delivered);
  const computeRate = (value: number) => computePercent(value, sent);
  return {
    ...{ sent, opened, clicked, unsubscribed, bounced },
    open_rate: computeRate(opened),
    click_rate: computeRate(clicked),
    unsubscribe_rate: computeRate(unsubscribed),
    bounce_rate: computeRate(bounced),
  };
}
