// The report of a workflow: late messages, totals, revenue, days, goal, step statistics, and
// people.
import { Alert, Anchor, Button, Group, SimpleGrid, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Earnings } from '#areas/stores/web/index.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useLiveInvalidation } from '#platform/web/api/live-queries.ts';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { ScreenLink } from '#platform/web/ui/screen-link.tsx';
import type { WorkflowFullReport } from '../contract.ts';
import { useNoteText } from './notes.ts';
import {
  api,
  builderPath,
  LIST_PATH,
  buildStepReportPath,
  useWorkflow,
  type WholeWorkflow,
  WORKFLOWS,
} from './queries.ts';
import { Days } from './report-days.tsx';
import { ReportRuns } from './report-people.tsx';
import { BuilderContext, useNewBuilder } from './use-builder.ts';
import { useStepTexts } from './step-texts.ts';

export default function ReportScreen() {
  const id = useParam('workflow');
  const workflow = useWorkflow(id);
  const report = useQuery(
    api.query('GET /client-api/api/workflows/{id}/report', { params: { id } }),
  );
  useLiveInvalidation('workflow', LIST_PATH);
  if (workflow.isLoadingError)
    return <FailedState error={workflow.error} retry={() => void workflow.refetch()} />;
  if (report.isLoadingError)
    return <FailedState error={report.error} retry={() => void report.refetch()} />;
  if (!workflow.data || !report.data) return <LoadingState rows={8} />;
  return <ReportWithBuilder workflow={workflow.data.data} report={report.data.data} />;
}

interface ReportProps {
  workflow: WholeWorkflow;
  report: WorkflowFullReport;
}

/** Provides the builder context, which supplies step labels. */
function ReportWithBuilder(props: ReportProps) {
  return (
    <BuilderContext value={useNewBuilder(props.workflow)}>
      <Report {...props} />
    </BuilderContext>
  );
}

function Report({ workflow, report }: ReportProps) {
  const t = useTexts('workflows');
  return (
    <Page
      title={<bdi>{workflow.title}</bdi>}
      back={{ to: WORKFLOWS, label: t('title') }}
      actions={
        <Button component={Link} to={builderPath(workflow.id)} variant="default">
          {t('report.open')}
        </Button>
      }
    >
      <Stack gap="xl">
        {report.late > 0 && <LateMessages id={workflow.id} count={report.late} />}
        <ReportFigures report={report} />
        <Earnings earned={report.earned} recipients={report.recipients ?? 0} />
        <Days id={workflow.id} />
        <Goal report={report} />
        <Steps workflow={workflow} report={report} />
        <ReportRuns workflow={workflow} />
      </Stack>
    </Page>
  );
}

/** Messages more than a day late wait for the owner's decision. */
function LateMessages({ id, count }: { id: string; count: number }) {
  const t = useTexts('workflows');
  const decide = useAction(
    (decision: 'send' | 'skip' | 'end') =>
      api('POST /client-api/api/workflows/{id}/late', { params: { id }, body: { decision } }),
    { invalidates: [LIST_PATH] },
  );
  return (
    <Alert color="warning" title={t('late.title', { count })}>
      <Text size="sm">{t('late.text')}</Text>
      <Group mt="sm" gap="xs">
        {(['send', 'skip', 'end'] as const).map((decision) => (
          <Button
            key={decision}
            size="xs"
            variant="default"
            disabled={decide.isPending}
            onClick={() => decide.mutate(decision)}
          >
            {t(`late.${decision}`)}
          </Button>
        ))}
      </Group>
    </Alert>
  );
}

function ReportFigures({
  report: { entered, inside, ended, figures },
}: Pick<ReportProps, 'report'>) {
  const t = useTexts('workflows');
  const { number, percent } = useFormats();
  const completedCount = ended.find((outcome) => outcome.outcome === 'completed')?.people ?? 0;
  const visibleFigures = [
    ['entered', entered],
    ['inside', inside],
    ['completed', completedCount],
    ['sent', figures.sent],
    ['opened', figures.opened, figures.open_rate],
    ['clicked', figures.clicked, figures.click_rate],
    ['unsubscribed', figures.unsubscribed, figures.unsubscribe_rate],
    ['bounced', figures.bounced, figures.bounce_rate],
  ] as const;
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} component="dl" m={0}>
      {visibleFigures.map(([name, value, rate]) => (
        <div key={name}>
          <Text component="dt" size="sm" c="dimmed">
            {t(name === 'sent' ? 'columns.sent' : `report.${name}`)}
          </Text>
          <Text component="dd" m={0} size="xl" fw={600}>
            {number(value)}{' '}
            {rate !== undefined && (
              <Text component="span" size="sm" c="dimmed">
                {percent(rate / 100)}
              </Text>
            )}
          </Text>
        </div>
      ))}
    </SimpleGrid>
  );
}

/** Goal rate of entrants and of the holdout group; the difference is the uplift. */
function Goal({ report: { goal } }: Pick<ReportProps, 'report'>) {
  const t = useTexts('workflows');
  const { number, percent } = useFormats();
  if (!goal) return null;
  const formatCount = (reached: number, of: number) =>
    t('report.reachedOf', { reached: number(reached), of: number(of) });
  const visibleFigures = [
    ['withIt', percent(goal.rate / 100), formatCount(goal.reached, goal.of)],
    ...(goal.difference === null
      ? []
      : [
          [
            'withoutIt',
            percent(goal.held_out_rate / 100),
            formatCount(goal.held_out_reached, goal.held_out),
          ],
          [
            'difference',
            t('report.points', {
              points: `${goal.difference > 0 ? '+' : ''}${number(goal.difference)}`,
            }),
            t('report.differenceText'),
          ],
        ]),
  ] as [string, string, string][];
  return (
    <section aria-labelledby="goal">
      <Text component="h2" id="goal" fw={600} mt={0} mb="sm">
        {t('report.goalTitle')}
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 3 }} component="dl" m={0}>
        {visibleFigures.map(([name, value, hint]) => (
          <div key={name}>
            <Text component="dt" size="sm" c="dimmed">
              {t(`report.${name}`)}
            </Text>
            <Text component="dd" m={0} size="xl" fw={600}>
              <bdi>{value}</bdi>{' '}
              <Text component="span" size="sm" c="dimmed" display="block">
                {hint}
              </Text>
            </Text>
          </div>
        ))}
      </SimpleGrid>
    </section>
  );
}

const RATES = ['opened', 'clicked', 'unsubscribed', 'bounced'] as const;
const RATE_OF = {
  opened: 'open_rate',
  clicked: 'click_rate',
  unsubscribed: 'unsubscribe_rate',
  bounced: 'bounce_rate',
} as const;

function Steps({ workflow, report }: ReportProps) {
  const t = useTexts('workflows');
  return (
    <section aria-labelledby="steps">
      <Text component="h2" id="steps" fw={600} mt={0} mb="sm">
        {t('report.steps')}
      </Text>
      <Table.ScrollContainer minWidth={860}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('report.step')}</Table.Th>
              {(['came', 'share', 'here', 'sent', ...RATES] as const).map((name) => (
                <Table.Th key={name} ta="end">
                  {t(`report.${name}`)}
                </Table.Th>
              ))}
              <Table.Th>{t('report.left')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {report.steps.map((step) => (
              <StepRow key={step.step_id} workflow={workflow} report={report} stepReport={step} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}

type StepRowProps = ReportProps & { stepReport: ReportProps['report']['steps'][number] };

function StepRow({ workflow, report, stepReport }: StepRowProps) {
  const { number, percent } = useFormats();
  const formatNote = useNoteText();
  const { figures } = stepReport;
  return (
    <Table.Tr>
      <Table.Td>
        <StepName workflow={workflow} stepReport={stepReport} />
      </Table.Td>
      <Table.Td ta="end">{number(stepReport.entered)}</Table.Td>
      <Table.Td ta="end">
        {report.entered > 0 ? percent(Math.min(1, stepReport.entered / report.entered)) : '–'}
      </Table.Td>
      <Table.Td ta="end">{number(stepReport.here)}</Table.Td>
      <Table.Td ta="end">
        {!figures ? (
          '–'
        ) : figures.sent > 0 ? (
          <Anchor
            component={Link}
            to={buildStepReportPath(workflow.id, { ...stepReport, id: stepReport.step_id })}
          >
            {number(figures.sent)}
          </Anchor>
        ) : (
          number(figures.sent)
        )}
      </Table.Td>
      {RATES.map((name) => (
        <Table.Td key={name} ta="end">
          {figures ? (
            <>
              {number(figures[name])}
              <Text size="xs" c="dimmed">
                {percent(figures[RATE_OF[name]] / 100)}
              </Text>
            </>
          ) : (
            '–'
          )}
        </Table.Td>
      ))}
      <Table.Td>
        {stepReport.left
          .map(({ outcome, people }) => `${formatNote(outcome)}: ${number(people)}`)
          .join(' · ')}
      </Table.Td>
    </Table.Tr>
  );
}

function StepName({ workflow, stepReport }: Omit<StepRowProps, 'report'>) {
  const t = useTexts('workflows');
  const { getStepName, getStepSummary } = useStepTexts();
  const step = workflow.steps.find(({ id }) => id === stepReport.step_id);
  if (!step) return t('report.removed', { name: t(`step.${stepReport.type}`) });
  return (
    <>
      <Anchor component={ScreenLink} to={builderPath(workflow.id)} search={{ step: step.id }}>
        {getStepName(step)}
      </Anchor>
      <Text size="xs" c="dimmed">
        <bdi>{getStepSummary(step)}</bdi>
      </Text>
    </>
  );
}
