// Figures of a workflow by day, without gaps.
import { readAccount } from '#areas/accounts/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { WorkflowDay } from '../../insight-contract.ts';
import { findMessagesOfSteps } from '../runs/activity.sql.ts';
import { readSteps } from '../steps/steps.sql.ts';
import type { WorkflowRow } from '../workflows.sql.ts';
import { countEngagementByDay, countPassesByDay } from './days.sql.ts';

const DAY_MS = 86_400_000;

export async function listWorkflowDays(
  db: Reader,
  { account_id: accountId, id }: WorkflowRow,
  { from, until }: { from: string; until: string },
): Promise<WorkflowDay[]> {
  const { timezone: zone } = await readAccount(db, accountId);
  const range = { from, until, zone };
  const steps = await readSteps(db, accountId, [id], 'all');
  const emailSteps = steps.filter((step) => step.type === 'EMAIL');
  const messages = await findMessagesOfSteps(
    db,
    accountId,
    emailSteps.map((step) => step.id),
  );
  const messageIds = messages.map((message) => message.message_id);
  const counts = [
    ...(await countPassesByDay(db, accountId, id, range)),
    ...(await countEngagementByDay(db, accountId, messageIds, range)),
  ];
  const countByKey = new Map(counts.map(({ day, kind, people }) => [`${day} ${kind}`, people]));
  const length = (Date.parse(until) - Date.parse(from)) / DAY_MS + 1;
  return Array.from({ length }, (_, index) => {
    const day = new Date(Date.parse(from) + index * DAY_MS).toISOString().slice(0, 10);
    const getCount = (kind: string) => countByKey.get(`${day} ${kind}`) ?? 0;
    return {
      ...{ day, entered: getCount('entered'), completed: getCount('completed') },
      ...{ sent: getCount('sent'), opened: getCount('opened'), clicked: getCount('clicked') },
    };
  });
}
