// A list of groups and segments to select, with the number of subscribers that the channel reaches.
import { Button, Checkbox, Skeleton, Text, TextInput } from '@mantine/core';
import { IconPlus, IconSearch, IconUsers } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { MAX_TITLE_LENGTH as MAX_GROUP_TITLE } from '#areas/groups/shared.ts';
import { queryAllGroups, createGroup } from '#areas/groups/web/index.ts';
import { queryAllSegments } from '#areas/segments/web/index.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { promptInput, STAY_OPEN } from '#platform/web/ui/input-dialog.tsx';
import { EmptyState, FailedState } from '#platform/web/ui/states.tsx';
import { MAX_SEGMENTS } from '../shared.ts';
import type { RecipientsSelection } from './recipients-choice.ts';
import classes from './recipients-screen.module.css';
import type { BroadcastUi } from './ui.ts';

const MIN_ITEMS_FOR_SEARCH = 8;

interface RecipientsListProps {
  channel: BroadcastUi['channel'];
  /** Label of the action that selects an item, for screen readers. */
  label: string;
  selected: RecipientsSelection;
  onChange: { groups: (ids: string[]) => void; segments: (ids: string[]) => void };
}

export function RecipientsList({ channel, label, selected, onChange }: RecipientsListProps) {
  const t = useTexts('broadcasts');
  const groups = useQuery({ ...queryAllGroups(), staleTime: 30_000 });
  const segments = useQuery({ ...queryAllSegments(), staleTime: 30_000 });
  const [term, setTerm] = useState('');
  if (groups.isLoadingError) return <FailedState error={groups.error} retry={groups.refetch} />;
  if (segments.isLoadingError) {
    return <FailedState error={segments.error} retry={segments.refetch} />;
  }
  if (!groups.data || !segments.data) return <Skeleton height={120} />;
  const totalCount = groups.data.data.length + segments.data.data.length;
  const addGroup = (id: string) => onChange.groups([...selected.groups, id]);
  if (totalCount === 0) return <NoGroups onCreated={addGroup} />;
  const isFound = (item: { title: string }) =>
    item.title.toLowerCase().includes(term.trim().toLowerCase());
  return (
    <>
      {totalCount > MIN_ITEMS_FOR_SEARCH && <FindField term={term} onChange={setTerm} />}
      <div className={classes.list}>
        <CheckboxList
          label={label}
          title={t('recipients.groups')}
          list={groups.data.data.filter(isFound).map((group) => ({
            ...group,
            reachableCount: channel === 'sms' ? group.active_phone_count : group.active_subscribers,
          }))}
          selected={selected.groups}
          onChange={onChange.groups}
        />
        <CheckboxList
          label={label}
          title={t('recipients.segments')}
          list={segments.data.data.filter(isFound).map((segment) => ({
            ...segment,
            reachableCount:
              channel === 'sms' ? segment.active_phone_count : segment.active_subscribers,
          }))}
          selected={selected.segments}
          max={MAX_SEGMENTS}
          onChange={onChange.segments}
        />
      </div>
      <NewGroup onCreated={addGroup} />
      {segments.data.data.length === 0 && (
        <Button
          component={Link}
          to="/subscribers/segments/create"
          variant="subtle"
          size="compact-sm"
          mt="xs"
        >
          {t('recipients.makeSegment')}
        </Button>
      )}
    </>
  );
}

function FindField({ term, onChange }: { term: string; onChange: (term: string) => void }) {
  const t = useTexts('broadcasts');
  return (
    <TextInput
      size="xs"
      mb="xs"
      aria-label={t('recipients.find')}
      placeholder={t('recipients.find')}
      leftSection={<IconSearch size={16} stroke={1.75} />}
      value={term}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

interface NewGroupProps {
  variant?: 'subtle' | 'default';
  /** Called with the id of the new group, which is then selected. */
  onCreated: (id: string) => void;
}

function NewGroup({ variant = 'subtle', onCreated }: NewGroupProps) {
  const t = useTexts('broadcasts');
  const create = () =>
    promptInput({
      type: 'text',
      title: t('recipients.makeGroup'),
      label: t('recipients.groupName'),
      maxLength: MAX_GROUP_TITLE,
      confirm: t('recipients.makeGroup'),
      send: async (title) => {
        const id = await createGroup(title);
        if (id === undefined) return STAY_OPEN;
        onCreated(id);
        return undefined;
      },
    });
  return (
    <Button
      variant={variant}
      {...(variant === 'subtle' ? { size: 'compact-sm', mt: 'xs' } : {})}
      leftSection={<IconPlus size={16} stroke={1.75} aria-hidden="true" />}
      onClick={() => void create()}
    >
      {t('recipients.makeGroup')}
    </Button>
  );
}

function NoGroups({ onCreated }: NewGroupProps) {
  const t = useTexts('broadcasts');
  return (
    <EmptyState
      icon={IconUsers}
      title={t('recipients.noGroups')}
      action={<NewGroup variant="default" onCreated={onCreated} />}
    />
  );
}

interface CheckboxListProps {
  label: string;
  title: string;
  list: { id: string; title: string; reachableCount: number | null }[];
  selected: string[];
  max?: number;
  onChange: (ids: string[]) => void;
}

function CheckboxList({ label, title, list, selected, max, onChange }: CheckboxListProps) {
  const { number } = useFormats();
  if (list.length === 0) return null;
  const isFull = max !== undefined && selected.length >= max;
  return (
    <div role="group" aria-label={`${label}: ${title}`}>
      <Checkbox.Group value={selected} onChange={onChange}>
        <p className={classes.kind} aria-hidden="true">
          {title}
        </p>
        {list.map((item) => (
          <Checkbox
            key={item.id}
            value={item.id}
            className={classes.group}
            disabled={isFull && !selected.includes(item.id)}
            label={
              <span className={classes.label}>
                <bdi>{item.title}</bdi>
                <Text component="span" size="sm" c="dimmed">
                  {item.reachableCount === null ? '…' : number(item.reachableCount)}
                </Text>
              </span>
            }
          />
        ))}
      </Checkbox.Group>
    </div>
  );
}
