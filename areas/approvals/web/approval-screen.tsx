// The screen of one request: what would be sent, to whom, what has changed, and the decision.
import { Anchor, Badge, Button, Group, Paper, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { Findings, PreviewFrame } from '#areas/content/web/index.ts';
import type { ComposingFinding } from '#areas/content/composing-contract.ts';
import { http } from '#platform/web/api/http.ts';
import { useLiveInvalidation } from '#platform/web/api/live-queries.ts';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { ApprovalDetail } from '../contract.ts';
import classes from './approvals.module.css';
import { Decision } from './decision.tsx';
import { DiffList } from './diff-list.tsx';
import { getFindingsComponent } from './finding-lists.ts';
import { isDeletion } from './is-deletion.ts';
import { api, APPROVALS } from './queries.ts';
import { getTone } from './tones.ts';

export default function ApprovalScreen() {
  const id = useParam('approval');
  useLiveInvalidation('approval', APPROVALS);
  const approval = useQuery(api.query('GET /client-api/api/approvals/{id}', { params: { id } }));
  if (approval.isLoadingError)
    return <FailedState error={approval.error} retry={() => void approval.refetch()} />;
  if (!approval.data) return <LoadingState rows={8} />;
  return <ApprovalBody approval={approval.data.data} />;
}

function ApprovalBody({ approval }: { approval: ApprovalDetail }) {
  const t = useTexts('approvals');
  const { kind, state, findings, previews, diff, compared_with: comparedWith } = approval;
  const content = isDeletion(approval) ? 'selection' : 'content';
  return (
    <Page
      title={<bdi>{approval.subject.title}</bdi>}
      description={t(`kinds.${kind}`)}
      back={{ to: '/approvals', label: t('title') }}
      status={<StatusDot tone={getTone(state)} label={t(`states.${state}`)} />}
      actions={
        <Button component={Link} to={approval.subject.path} variant="default">
          {t('show.object')}
        </Button>
      }
    >
      <div className={classes.columns}>
        <Stack gap="md">
          <ApprovalFacts approval={approval} />
          {state === 'open' && <Decision approval={approval} />}
          {findings.length > 0 && (
            <Paper withBorder p="md">
              <Heading>{t('findings')}</Heading>
              <FindingList kind={kind} findings={findings} />
            </Paper>
          )}
          <Hosts approval={approval} />
          {diff.length > 0 && (
            <Paper withBorder p="md">
              <Heading>{t(comparedWith === null ? content : `compared.${comparedWith}`)}</Heading>
              <DiffList lines={diff} hasChanges={comparedWith !== null} />
            </Paper>
          )}
          <AffectedSubscribers approval={approval} />
        </Stack>
        {previews.length > 0 && <Previews previews={previews} />}
      </div>
    </Page>
  );
}

function Heading({ children }: { children: string }) {
  return (
    <Text component="h2" fw={600} mb="xs">
      {children}
    </Text>
  );
}

function ApprovalFacts({ approval }: { approval: ApprovalDetail }) {
  const t = useTexts('approvals');
  const { dateTime, money, number, wallTime } = useFacts();
  const { asked_by: asker, program, decided_by: decider, audience, cost, ceiling } = approval;
  const countKey = isDeletion(approval) ? 'subscribers' : 'recipients';
  const name = (user: { name: string | null; email: string | null }) => user.name ?? user.email;
  const rows: [string, string | null | undefined][] = [
    [t('facts.by'), program ? `${program} (${name(asker) ?? ''})` : name(asker)],
    [t('facts.at'), dateTime(approval.asked_at)],
    [t('facts.note'), approval.note],
    [
      t('facts.time'),
      approval.kind.endsWith('_schedule')
        ? approval.scheduled === null
          ? t('facts.now')
          : wallTime(approval.scheduled)
        : null,
    ],
    [
      t(`facts.${countKey}`),
      audience &&
        t(countKey, { count: audience.count, n: number(audience.count) }) +
          (ceiling === null ? '' : ` · ${t('facts.ceiling', { n: number(ceiling) })}`),
    ],
    [
      t('facts.excluded'),
      audience && audience.excluded.length > 0
        ? number(audience.excluded.reduce((sum, exclusion) => sum + exclusion.count, 0))
        : null,
    ],
    [t('facts.cost'), cost && money(cost.micros / 1_000_000, cost.currency)],
    [t('facts.expires'), approval.state === 'open' ? dateTime(approval.expires_at) : null],
    [t('facts.decidedBy'), decider && name(decider)],
    [t('facts.reason'), approval.reason],
  ];
  return (
    <Paper withBorder p="md">
      <dl className={classes.facts}>
        {rows.map(
          ([label, value]) =>
            value && (
              <div key={label}>
                <dt>{label}</dt>
                <dd>
                  <bdi>{value}</bdi>
                </dd>
              </div>
            ),
        )}
      </dl>
    </Paper>
  );
}

function useFacts() {
  const formats = useFormats();
  // A wall time of the account's zone is shown unchanged: the formatter needs an instant, so the
  // time is both parsed and formatted as UTC.
  const wallTime = (localTime: string) =>
    formats.dateTime(`${localTime.slice(0, 16).replace(' ', 'T')}Z`, 'UTC');
  return { ...formats, wallTime };
}

function FindingList({ kind, findings }: Pick<ApprovalDetail, 'kind' | 'findings'>) {
  const show = getFindingsComponent(kind);
  if (show) return <Suspense>{show(findings)}</Suspense>;
  return <Findings findings={findings as ComposingFinding[]} />;
}

/** The subscribers that a deletion affects: some by name, the rest as a number. */
function AffectedSubscribers({ approval: { people, audience } }: { approval: ApprovalDetail }) {
  const t = useTexts('approvals');
  const { number } = useFormats();
  if (people.length === 0) return null;
  const unnamedCount = (audience?.count ?? 0) - people.length;
  return (
    <Paper withBorder p="md">
      <Heading>{t('facts.subscribers')}</Heading>
      <ul className={classes.hosts}>
        {people.map(({ id, title }) => (
          <li key={id}>
            <Anchor component={Link} to={`/subscribers/${id}/view`}>
              <bdi dir="ltr">{title}</bdi>
            </Anchor>
          </li>
        ))}
      </ul>
      {unnamedCount > 0 && (
        <Text size="sm" c="dimmed">
          {t('others', { count: unnamedCount, n: number(unnamedCount) })}
        </Text>
      )}
    </Paper>
  );
}

function Hosts({ approval: { hosts, compared_with: comparedWith } }: { approval: ApprovalDetail }) {
  const t = useTexts('approvals');
  if (hosts.length === 0) return null;
  return (
    <Paper withBorder p="md">
      <Heading>{t('hosts')}</Heading>
      <ul className={classes.hosts}>
        {hosts.map(({ host, is_new: isNew }) => (
          <li key={host}>
            <bdi dir="ltr">{host}</bdi>
            {isNew && comparedWith !== null && (
              <Badge color="warning" variant="light" ms="xs">
                {t('new')}
              </Badge>
            )}
          </li>
        ))}
      </ul>
    </Paper>
  );
}

const WIDTHS = { wide: 640, narrow: 360 } as const;

/** The emails of the request, one at a time, in a wide or narrow frame. */
function Previews({ previews }: { previews: ApprovalDetail['previews'] }) {
  const t = useTexts('approvals');
  const [index, setIndex] = useState('0');
  const isSmall = useMediaQuery('(max-width: 860px)') ?? false;
  const [chosenWidth, setWidth] = useState<keyof typeof WIDTHS>();
  const width = chosenWidth ?? (isSmall ? 'narrow' : 'wide');
  const selectedPreview = previews[Number(index)] ?? previews[0];
  const path = selectedPreview?.path ?? '';
  const previewQuery = useQuery({
    queryKey: [...path.split('/').filter(Boolean), 'approval'],
    queryFn: ({ signal }) => http<{ data: { html: string | null } }>('GET', path, { signal }),
    enabled: path !== '',
    retry: false,
    meta: { notFound: 'inline' },
  });
  const html = previewQuery.data?.data.html;
  return (
    <div>
      <Group mb="sm" gap="xs">
        <SegmentedControl
          aria-label={t('width.label')}
          value={width}
          data={(['wide', 'narrow'] as const).map((value) => ({
            value,
            label: t(`width.${value}`),
          }))}
          onChange={(value) => setWidth(value === 'narrow' ? 'narrow' : 'wide')}
        />
        {previews.length > 1 && (
          <SegmentedControl
            aria-label={t('emails')}
            value={index}
            data={previews.map(({ title }, at) => ({ value: String(at), label: title }))}
            onChange={setIndex}
          />
        )}
      </Group>
      {previewQuery.isLoadingError && (
        <FailedState error={previewQuery.error} retry={() => void previewQuery.refetch()} />
      )}
      {html && (
        <div className={classes.preview} style={{ maxWidth: WIDTHS[width] }}>
          <PreviewFrame html={html} title={selectedPreview?.title ?? ''} height="70dvh" />
        </div>
      )}
    </div>
  );
}
