// The groups of a subscriber; adding and removing one takes effect immediately.
import { useQuery } from '@tanstack/react-query';
import { queryAllGroups, createGroup } from '#areas/groups/web/index.ts';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { SearchableMultiSelect } from '#platform/web/ui/searchable-select.tsx';
import type { SubscriberDetails } from '../contract.ts';
import { api, SUBSCRIBER_QUERIES } from './queries.ts';
import classes from './subscriber-screen.module.css';

export function GroupsOfSubscriber({ subscriber }: { subscriber: SubscriberDetails }) {
  const t = useTexts('audience');
  const groups = useQuery(queryAllGroups()).data?.data ?? [];
  const groupIds = subscriber.subscriber_tags.map((group) => group.id);
  const change = useAction(
    async ({ before, next }: { before: string[]; next: string[] }) => {
      const body = { subscribers: [subscriber.id], trigger_automation: false };
      for (const tagId of next.filter((id) => !before.includes(id))) {
        await api('POST /client-api/api/subscribers/groups/{tagId}', { params: { tagId }, body });
      }
      for (const tagId of before.filter((id) => !next.includes(id))) {
        await api('DELETE /client-api/api/subscribers/groups/{tagId}', { params: { tagId }, body });
      }
    },
    { invalidates: SUBSCRIBER_QUERIES, scope: { id: `groups of ${subscriber.id}` } },
  );
  // The groups being saved; the next change builds on them and waits for the save.
  const visibleGroupIds = change.isPending ? change.variables.next : groupIds;
  return (
    <section className={classes.panel} aria-labelledby="groups">
      <h2 className={classes.heading} id="groups">
        {t('columns.groups')}
      </h2>
      <SearchableMultiSelect
        aria-labelledby="groups"
        onCreate={createGroup}
        placeholder={visibleGroupIds.length === 0 ? t('one.chooseGroups') : undefined}
        data={groups.map((group) => ({ value: group.id, label: group.title }))}
        value={visibleGroupIds}
        onChange={(next) => change.mutate({ before: visibleGroupIds, next })}
      />
    </section>
  );
}
