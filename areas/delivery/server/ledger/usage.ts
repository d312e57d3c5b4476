// Answers the question of billing how much an account has used since an instant.
import { usageQuestion } from '#areas/billing/server/index.ts';
import { handleQuestion } from '#platform/server/area.ts';
import { toQuarter } from '#platform/server/database/quarters.ts';
import { clock } from '#platform/server/clock.ts';
import { readSentBetween } from './messages.sql.ts';
import { countPeopleReached, countSmsSent } from './usage.sql.ts';

export const messagesUsed = handleQuestion(
  usageQuestion,
  async (tx, { accountId, since, scope }) => {
    const emails = {
      kind: 'emails' as const,
      // Emails are counted by quarter-hour. Beginning with the quarter-hour of `since` includes the
      // emails of an account that was created within it.
      count: await readSentBetween(tx, accountId, toQuarter(since), clock.now()),
    };
    if (scope !== 'all') return [emails];
    const reachedCount = await countPeopleReached(tx, accountId, since);
    return [
      emails,
      { kind: 'texts' as const, count: await countSmsSent(tx, accountId, since) },
      ...reachedCount.map(({ channel, count }) => ({
        kind: channel === 'sms' ? ('people_texted' as const) : ('people_emailed' as const),
        count,
      })),
    ];
  },
);
