// The list of requests for approval, and the setting that requires a second person for decisions.
import { Button, SegmentedControl, Switch, Text } from '@mantine/core';
import { IconChecklist } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { parseOneOf, useSearchParams } from '#platform/web/api/address.ts';
import { useLiveInvalidation } from '#platform/web/api/live-queries.ts';
import { useAction } from '#platform/web/api/queries.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useRights } from '#platform/web/session/rights.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { EmptyState, FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { Approval } from '../contract.ts';
import classes from './approvals.module.css';
import { isDeletion } from './is-deletion.ts';
import { api, APPROVALS } from './queries.ts';
import { getTone } from './tones.ts';

const STATES = ['open', 'all'] as const;
const address = { show: parseOneOf(STATES, 'open') };

export default function ApprovalsScreen() {
  const t = useTexts('approvals');
  const [{ show }, set] = useSearchParams(address);
  useLiveInvalidation('approval', APPROVALS);
  return (
    <Page title={t('title')} description={t('description')}>
      <SegmentedControl
        mb="md"
        aria-label={t('show.label')}
        value={show}
        data={STATES.map((value) => ({ value, label: t(`show.${value}`) }))}
        onChange={(value) => set({ show: value === 'all' ? 'all' : 'open' }, { replace: true })}
      />
      <Requests show={show} />
      <FourEyes />
    </Page>
  );
}

function Requests({ show }: { show: (typeof STATES)[number] }) {
  const t = useTexts('approvals');
  const requests = useInfiniteQuery({
    queryKey: [...APPROVALS.split('/').filter(Boolean), { show }],
    queryFn: ({ pageParam, signal }) =>
      api('GET /client-api/api/approvals', {
        query: {
          ...(show === 'open' ? { state: 'open' as const } : {}),
          ...(pageParam ? { before: pageParam } : {}),
        },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next ?? undefined,
  });
  if (requests.isLoadingError) {
    return <FailedState error={requests.error} retry={() => void requests.refetch()} />;
  }
  if (!requests.data) return <LoadingState rows={4} height={56} />;
  const rows = requests.data.pages.flatMap(({ data }) => data);
  if (rows.length === 0) {
    return (
      <EmptyState icon={IconChecklist} title={t('empty')}>
        {t('emptyText')}
      </EmptyState>
    );
  }
  return (
    <>
      <ul className={classes.requests} aria-label={t('title')}>
        {rows.map((approval) => (
          <Request key={approval.id} approval={approval} />
        ))}
      </ul>
      {requests.hasNextPage && (
        <Button
          variant="default"
          loading={requests.isFetchingNextPage}
          onClick={() => void requests.fetchNextPage()}
        >
          {t('more')}
        </Button>
      )}
    </>
  );
}

function Request({ approval }: { approval: Approval }) {
  const t = useTexts('approvals');
  const { dateTime, number } = useFormats();
  const { kind, state, asked_by: asker, program, recipients } = approval;
  const countKey = isDeletion(approval) ? 'subscribers' : 'recipients';
  const requesterName = program ?? asker.name ?? asker.email ?? '';
  return (
    <li className={classes.request}>
      <Link to={`/approvals/${approval.id}`} className={classes.open}>
        <bdi>{approval.subject.title}</bdi>
      </Link>
      <Text size="sm">
        {t(`kinds.${kind}`)}
        {recipients !== null && ` · ${t(countKey, { count: recipients, n: number(recipients) })}`}
      </Text>
      <Text size="xs" c="dimmed">
        <bdi>{requesterName}</bdi> ·{' '}
        <time dateTime={approval.asked_at}>{dateTime(approval.asked_at)}</time>
      </Text>
      <StatusDot tone={getTone(state)} label={t(`states.${state}`)} />
    </li>
  );
}

function FourEyes() {
  const t = useTexts('approvals');
  const isAdmin = useRights().has('admin');
  const settings = useQuery(api.query('GET /client-api/api/approvals/settings'));
  const save = useAction(
    (needsFourEyes: boolean) =>
      api('PUT /client-api/api/approvals/settings', { body: { needs_four_eyes: needsFourEyes } }),
    { invalidates: [APPROVALS], onDone: () => toast(t('saved')) },
  );
  if (!settings.data) return null;
  return (
    <Switch
      mt="xl"
      label={t('fourEyes.label')}
      description={t('fourEyes.hint')}
      checked={settings.data.data.needs_four_eyes}
      disabled={!isAdmin || save.isPending}
      onChange={(event) => save.mutate(event.currentTarget.checked)}
    />
  );
}
