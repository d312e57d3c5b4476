// What became of the emails of workflows: the sums of their messages' own counters.
import { readDelivery } from '#areas/delivery/server/index.ts';
import { figuresOf, readEngagement } from '#areas/tracking/server/index.ts';
import type { Reader } from '#platform/server/database.ts';
import type { WorkflowReport } from '../contract.ts';
import { messagesOfSteps } from './activity.sql.ts';
import { readSteps } from './steps.sql.ts';

/** Reports of these workflows, steps that were removed included. */
export async function reportsOf(
  db: Reader,
  accountId: number,
  workflowIds: readonly number[],
): Promise<(workflowId: number) => WorkflowReport> {
  const steps = await readSteps(db, accountId, workflowIds, 'all');
  const owners = new Map(steps.map((step) => [step.id, step.workflow_id]));
  const messages = await messagesOfSteps(db, accountId, [...owners.keys()]);
  const ids = messages.map((one) => one.message_id);
  const deliveries = await readDelivery(db, accountId, ids);
  const engagement = await readEngagement(db, accountId, ids);
  const figures = new Map(
    deliveries.map((one) => [one.messageId, figuresOf(one, engagement.get(one.messageId))]),
  );
  return (workflowId) => {
    const own = messages.filter((one) => owners.get(one.step_id) === workflowId);
    return reportOf(own.flatMap((one) => figures.get(one.message_id) ?? []));
  };
}

function reportOf(figures: readonly ReturnType<typeof figuresOf>[]): WorkflowReport {
  const sum = (value: (one: ReturnType<typeof figuresOf>) => number) =>
    figures.reduce((all, one) => all + value(one), 0);
  const sent = sum((one) => one.sent);
  const opened = sum((one) => one.human_opens);
  const clicked = sum((one) => one.human_clicks);
  const unsubscribed = sum((one) => one.unsubscribes);
  const bounced = sum((one) => one.sent - one.delivered);
  const rate = (value: number) => (sent === 0 ? 0 : Math.round((value / sent) * 10_000) / 100);
  return {
    ...{ sent, opened, clicked, unsubscribed, bounced },
    open_rate: rate(opened),
    click_rate: rate(clicked),
    unsubscribe_rate: rate(unsubscribed),
    bounce_rate: rate(bounced),
  };
}
