// Step 3: groups in, groups out, and how many that makes: each person once. Saves on each tick.
import {
  Button,
  Checkbox,
  Collapse,
  Group,
  Paper,
  SimpleGrid,
  Skeleton,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core';
import { IconChevronDown, IconSearch, IconUsers } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useFormats } from '#platform/web/formats.ts';
import { client } from '#platform/web/api.ts';
import { showError } from '#platform/web/errors.ts';
import { touch } from '#platform/web/queries.ts';
import { useTexts } from '#platform/web/texts.ts';
import { useParam } from '#platform/web/use-param.ts';
import { EmptyState, FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { calls as groupCalls } from '../../groups/contract.ts';
import type { Campaign } from '../contract.ts';
import { stepPath } from './paths.ts';
import { api, touchesOf, useCampaign } from './queries.ts';
import classes from './recipients-screen.module.css';
import { RecipientCount } from './recipient-count.tsx';
import { StepPage } from './steps.tsx';

const groupsApi = client<typeof groupCalls>();

export default function RecipientsScreen() {
  const id = useParam('campaign');
  const campaign = useCampaign(id);
  if (campaign.error) return <FailedState error={campaign.error} retry={campaign.refetch} />;
  if (!campaign.data) return <LoadingState rows={6} />;
  const { data } = campaign.data;
  if (data.status !== 'DRAFT') return <Navigate to={stepPath(id, 'review')} replace />;
  return <Choice key={id} campaign={data} />;
}

function Choice({ campaign }: { campaign: Campaign }) {
  const t = useTexts('campaigns');
  const { id } = campaign;
  const navigate = useNavigate();
  const choice = useChoice(campaign);
  const groups = useQuery({
    ...groupsApi.query('GET /client-api/api/tags', { query: { no_paginate: 'true' } }),
    staleTime: 30_000,
  });
  const [isExcluding, setExcluding] = useState(campaign.exclude_tags.length > 0);
  const isChosen = choice.toAll || choice.included.length > 0;
  return (
    <StepPage
      campaign={campaign}
      step="recipients"
      actions={
        <Button
          disabled={!isChosen}
          onClick={() => void choice.settled().then(() => navigate({ to: stepPath(id, 'review') }))}
        >
          {t('recipients.next')}
        </Button>
      }
    >
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" maw={1200} className={classes.grid}>
        <Stack gap="md">
          <Paper withBorder p="md">
            <Group justify="space-between" mb="sm">
              <Text component="h2" fw={600}>
                {t('recipients.include')}
              </Text>
              <Switch
                label={t('recipients.everybody')}
                checked={choice.toAll}
                onChange={(event) => choice.setToAll(event.currentTarget.checked)}
              />
            </Group>
            {choice.toAll ? (
              <Text size="sm" c="dimmed">
                {t('recipients.everybodyHint')}
              </Text>
            ) : (
              <GroupList
                query={groups}
                label={t('recipients.include')}
                chosen={choice.included}
                onChange={choice.setIncluded}
              />
            )}
          </Paper>
          <Paper withBorder p="md">
            <Button
              variant="subtle"
              color="gray"
              px={0}
              aria-expanded={isExcluding}
              className={classes.more}
              rightSection={<IconChevronDown size={16} stroke={1.75} />}
              onClick={() => setExcluding((is) => !is)}
            >
              {choice.excluded.length > 0
                ? t('recipients.excludedSome', { count: choice.excluded.length })
                : t('recipients.exclude')}
            </Button>
            <Collapse expanded={isExcluding}>
              <Text size="sm" c="dimmed" mb="sm">
                {t('recipients.excludeHint')}
              </Text>
              <GroupList
                query={groups}
                label={t('recipients.exclude')}
                chosen={choice.excluded}
                onChange={choice.setExcluded}
              />
            </Collapse>
          </Paper>
        </Stack>
        <Paper withBorder p="md" className={classes.count}>
          <Text component="h2" fw={600} mb="sm">
            {t('recipients.selected')}
          </Text>
          {isChosen ? (
            <RecipientCount id={id} isWaiting={choice.isSaving} />
          ) : (
            <Text size="sm" c="dimmed">
              {t('recipients.none')}
            </Text>
          )}
        </Paper>
      </SimpleGrid>
    </StepPage>
  );
}

/** What is ticked, saved one change after the other in the order of the ticks. */
function useChoice(campaign: Campaign) {
  const { id } = campaign;
  const [included, setIn] = useState(() => campaign.tags.map((group) => group.id));
  const [excluded, setOut] = useState(() => campaign.exclude_tags.map((group) => group.id));
  const [toAll, setAll] = useState(campaign.send_to_all);
  const [waiting, setWaiting] = useState(0);
  const line = useRef<Promise<unknown>>(Promise.resolve());
  const save = (act: () => Promise<unknown>) => {
    setWaiting((count) => count + 1);
    line.current = line.current
      .then(act)
      .catch(showError)
      .then(() => touch(...touchesOf(id)))
      .finally(() => setWaiting((count) => count - 1));
  };
  const params = { id };
  const saveIn = (ids: string[], send_to_all: boolean) =>
    save(() =>
      api('POST /client-api/api/campaigns/{id}/tags/set', {
        params,
        body: { tags_arr: send_to_all ? [] : ids, send_to_all },
      }),
    );
  return {
    included,
    excluded,
    toAll,
    isSaving: waiting > 0,
    settled: () => line.current,
    setIncluded: (ids: string[]) => {
      setIn(ids);
      saveIn(ids, false);
    },
    setToAll: (is: boolean) => {
      setAll(is);
      saveIn(included, is);
    },
    setExcluded: (ids: string[]) => {
      setOut(ids);
      save(() =>
        api('POST /client-api/api/campaigns/{id}/exclude_tags/set', {
          params,
          body: { tags_arr: ids },
        }),
      );
    },
  };
}

interface GroupListProps {
  query: ReturnType<
    typeof useQuery<{ data: { id: string; title: string; active_subscribers: number }[] }>
  >;
  label: string;
  chosen: string[];
  onChange: (ids: string[]) => void;
}

function GroupList({ query, label, chosen, onChange }: GroupListProps) {
  const t = useTexts('campaigns');
  const { number } = useFormats();
  const [words, setWords] = useState('');
  if (query.error) return <FailedState error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton height={120} />;
  const groups = query.data.data;
  if (groups.length === 0) {
    return (
      <EmptyState
        icon={IconUsers}
        title={t('recipients.noGroups')}
        action={
          <Button component={Link} to="/subscribers/tags" variant="default">
            {t('recipients.makeGroup')}
          </Button>
        }
      />
    );
  }
  const shown = groups.filter((group) =>
    group.title.toLowerCase().includes(words.trim().toLowerCase()),
  );
  return (
    <>
      {groups.length > 8 && (
        <TextInput
          size="xs"
          mb="xs"
          aria-label={t('recipients.find')}
          placeholder={t('recipients.find')}
          leftSection={<IconSearch size={16} stroke={1.75} />}
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
        />
      )}
      <Checkbox.Group value={chosen} onChange={onChange} aria-label={label}>
        <div className={classes.list}>
          {shown.map((group) => (
            <Checkbox
              key={group.id}
              value={group.id}
              className={classes.group}
              label={
                <span className={classes.label}>
                  <bdi>{group.title}</bdi>
                  <Text component="span" size="sm" c="dimmed">
                    {number(group.active_subscribers)}
                  </Text>
                </span>
              }
            />
          ))}
        </div>
      </Checkbox.Group>
    </>
  );
}
