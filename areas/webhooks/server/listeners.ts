// What endpoints are told of, written down in the transaction that makes it so.
import { groupsOfPeople, joinedGroup } from '#areas/groups/server/index.ts';
import {
  statusesChanged,
  subscribersCreated,
  subscribersUnsubscribed,
  subscribersUpdated,
} from '#areas/subscribers/server/index.ts';
import { on } from '#platform/server/area.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database.ts';
import type { Topic } from '../limits.ts';
import { addEvents } from './endpoints.sql.ts';

type People = { accountId: number; subscriberIds: readonly number[] };

const add = (tx: Tx, topic: Topic, { accountId, subscriberIds }: People, groupIds?: number[]) =>
  addEvents(tx, accountId, {
    topic,
    subjectIds: subscriberIds,
    at: clock.now(),
    ...(groupIds && { groupIds }),
  });

export const listeners = [
  on(subscribersCreated, async (tx, facts) => {
    // Whole lists that somebody brings are no news.
    if (facts.source !== 'import') await add(tx, 'subscribers/new', facts);
  }),
  on(subscribersUpdated, (tx, facts) => add(tx, 'subscribers/updated', facts)),
  on(subscribersUnsubscribed, async (tx, facts) => {
    await add(tx, 'subscribers/unsubscribed', facts);
    const rows = await groupsOfPeople(tx, facts.accountId, facts.subscriberIds);
    for (const [groupId, members] of Map.groupBy(rows, (row) => row.id)) {
      const subscriberIds = members.map((row) => row.subscriber_id);
      await add(tx, 'groups/unsubscribed', { ...facts, subscriberIds }, [groupId]);
    }
  }),
  on(statusesChanged, async (tx, facts) => {
    if (facts.to === 'bounced') await add(tx, 'bounces/new', facts);
  }),
  on(joinedGroup, (tx, facts) => add(tx, 'groups/new-subscriber', facts, [facts.groupId])),
];
