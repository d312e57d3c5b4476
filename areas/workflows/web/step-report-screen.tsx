// Report of one step's email: statistics, engagement per person, and links.
import { Alert, Select, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { LinksTable } from '#areas/tracking/web/index.ts';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { parseOneOf } from '#platform/web/api/address.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { type TableColumn, DataTable } from '#platform/web/ui/data-table.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { EmptyState, FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import type { StepAct } from '../contract.ts';
import { STEP_ACTIONS, type StepAction } from '../shared.ts';
import { api, buildReportPath, useWorkflow, type WholeWorkflow } from './queries.ts';
import { MessageFigures } from './message-figures.tsx';
import { BuilderContext, useNewBuilder } from './use-builder.ts';
import { useStepTexts } from './step-texts.ts';

const SORTS = ['at', 'email'] as const;
const addressParameters = { action: parseOneOf(STEP_ACTIONS, 'opens') };
const COUNTED: readonly StepAction[] = ['opens', 'clicks'];

export default function StepReportScreen() {
  const workflow = useWorkflow(useParam('workflow'));
  if (workflow.isLoadingError)
    return <FailedState isPage error={workflow.error} retry={() => void workflow.refetch()} />;
  if (!workflow.data) return <LoadingState rows={8} />;
  return <StepReportWithBuilder workflow={workflow.data.data} />;
}

/** Provides the builder context, which supplies step labels. */
function StepReportWithBuilder({ workflow }: { workflow: WholeWorkflow }) {
  return (
    <BuilderContext value={useNewBuilder(workflow)}>
      <Report workflow={workflow} />
    </BuilderContext>
  );
}

function Report({ workflow }: { workflow: WholeWorkflow }) {
  const t = useTexts('workflows');
  const { getStepName } = useStepTexts();
  const id = useParam('step');
  const step = workflow.steps.find((step) => step.id === id);
  const report = useQuery(
    api.query('GET /client-api/api/workflows/{id}/report', { params: { id: workflow.id } }),
  );
  const stepReport = report.data?.data.steps.find((step) => step.step_id === id);
  const subject = (step?.data as { subject?: string } | undefined)?.subject;
  return (
    <Page
      title={<bdi>{subject || (step ? getStepName(step) : t('step.EMAIL'))}</bdi>}
      description={
        step && getStepName(step) !== subject ? <bdi>{getStepName(step)}</bdi> : undefined
      }
      back={{ to: buildReportPath(workflow.id), label: workflow.title }}
    >
      <Stack gap="xl">
        {stepReport?.is_removed && <Alert color="gray">{t('report.gone')}</Alert>}
        {stepReport?.figures && (
          <MessageFigures report={stepReport.figures} currentCount={stepReport.here} />
        )}
        <Actions workflow={workflow.id} step={id} />
        <Links workflow={workflow.id} step={id} />
      </Stack>
    </Page>
  );
}

function Actions({ workflow: id, step: stepId }: { workflow: string; step: string }) {
  const t = useTexts('reports');
  const list = useListAddress({ sorts: SORTS, direction: 'desc', more: addressParameters });
  const { action } = list.values;
  const rows = useQuery({
    ...api.query('GET /client-api/api/workflows/{id}/steps/{stepId}/actions', {
      params: { id, stepId },
      query: { ...list.query, action },
    }),
    placeholderData: keepPreviousData,
  });
  return (
    <DataTable<StepAct>
      label={t(`actions.${action}`)}
      query={rows}
      list={list}
      // Deleted subscribers have no id.
      rowId={(row) => `${row.subscriber?.id ?? rows.data?.data.indexOf(row) ?? ''} ${row.at}`}
      getRowName={(row) => row.subscriber?.email ?? t('actions.deleted')}
      getRowLink={({ subscriber }) =>
        subscriber ? `/subscribers/${subscriber.id}/view` : undefined
      }
      search={t('actions.find')}
      columns={useColumns(COUNTED.includes(action))}
      filters={
        <Select
          size="xs"
          w={190}
          aria-label={t('actions.which')}
          value={action}
          allowDeselect={false}
          onChange={(value) =>
            list.set({ action: addressParameters.action.read(value ?? undefined) })
          }
          data={STEP_ACTIONS.map((value) => ({ value, label: t(`actions.${value}`) }))}
        />
      }
      empty={<EmptyState title={t('actions.empty')} />}
    />
  );
}

function useColumns(withCount: boolean): TableColumn<StepAct>[] {
  const t = useTexts('reports');
  const { number, dateTime } = useFormats();
  const countColumns: TableColumn<StepAct>[] = [
    {
      id: 'by',
      header: t('actions.columns.by'),
      isWide: true,
      cell: ({ is_human: isHuman }) => t(isHuman ? 'actions.person' : 'actions.machine'),
    },
    {
      id: 'count',
      header: t('actions.columns.count'),
      align: 'end',
      isWide: true,
      cell: ({ count }) => number(count ?? 0),
    },
  ];
  return [
    {
      id: 'email',
      header: t('actions.columns.subscriber'),
      sort: 'email',
      cell: ({ subscriber }) =>
        subscriber ? (
          <bdi dir="ltr">{toUnicodeDomain(subscriber.email ?? '–')}</bdi>
        ) : (
          <Text component="span" size="sm" c="dimmed">
            {t('actions.deleted')}
          </Text>
        ),
    },
    ...(withCount ? countColumns : []),
    {
      id: 'at',
      header: t('actions.columns.at'),
      sort: 'at',
      align: 'end',
      width: 190,
      cell: ({ at }) => <time dateTime={at}>{dateTime(at)}</time>,
    },
  ];
}

/** Renders nothing if the email has no tracked links. */
function Links({ workflow: id, step: stepId }: { workflow: string; step: string }) {
  const t = useTexts('workflows');
  const links = useQuery(
    api.query('GET /client-api/api/workflows/{id}/steps/{stepId}/links', {
      params: { id, stepId },
    }),
  );
  if (links.isLoadingError)
    return <FailedState error={links.error} retry={() => void links.refetch()} />;
  if (!links.data) return <LoadingState rows={3} />;
  if (links.data.data.length === 0) return null;
  return (
    <section aria-labelledby="links">
      <Text component="h2" id="links" fw={600} mt={0} mb="sm">
        {t('report.links')}
      </Text>
      <LinksTable
        links={links.data.data}
        texts={{
          link: t('report.link'),
          clicks: t('report.clicked'),
          people: t('report.people'),
        }}
      />
    </section>
  );
}
