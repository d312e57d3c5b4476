// What became of everybody: in all, by the goal, at each step; and why for each person.
import { Alert, Anchor, Button, Group, SimpleGrid, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Earnings } from '#areas/stores/web/index.ts';
import { useFormats } from '#platform/web/formats.ts';
import { useLiveTouch } from '#platform/web/live-looks.ts';
import { useAct } from '#platform/web/queries.ts';
import { useTexts } from '#platform/web/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/use-param.ts';
import type { WorkflowFullReport } from '../contract.ts';
import { useNoteWords } from './notes.ts';
import { api, builderPath, LIST, useWorkflow, type Whole, WORKFLOWS } from './queries.ts';
import { People } from './report-people.tsx';
import { BuilderContext, useNewBuilder } from './use-builder.ts';
import { useStepWords } from './words.ts';

export default function ReportScreen() {
  const id = useParam('workflow');
  const workflow = useWorkflow(id);
  const report = useQuery(
    api.query('GET /client-api/api/workflows/{id}/report', { params: { id } }),
  );
  useLiveTouch('workflow', LIST);
  if (workflow.isLoadingError)
    return <FailedState error={workflow.error} retry={() => void workflow.refetch()} />;
  if (report.isLoadingError)
    return <FailedState error={report.error} retry={() => void report.refetch()} />;
  if (!workflow.data || !report.data) return <LoadingState rows={8} />;
  return <Named workflow={workflow.data.data} report={report.data.data} />;
}

interface ReportProps {
  workflow: Whole;
  report: WorkflowFullReport;
}

/** Steps are called here as they are in the builder. */
function Named(props: ReportProps) {
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
        {report.late > 0 && <Late id={workflow.id} count={report.late} />}
        <Figures report={report} />
        <Earnings earned={report.earned} recipients={report.figures.sent} />
        <Goal report={report} />
        <Steps workflow={workflow} report={report} />
        <People workflow={workflow} />
      </Stack>
    </Page>
  );
}

/** What was held up for more than a day waits for its owner's word. */
function Late({ id, count }: { id: string; count: number }) {
  const t = useTexts('workflows');
  const decide = useAct(
    (decision: 'send' | 'skip' | 'end') =>
      api('POST /client-api/api/workflows/{id}/late', { params: { id }, body: { decision } }),
    { touches: [LIST] },
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

function Figures({ report: { entered, inside, ended, figures } }: Pick<ReportProps, 'report'>) {
  const t = useTexts('workflows');
  const { number, percent } = useFormats();
  const completed = ended.find((one) => one.outcome === 'completed')?.people ?? 0;
  const shown = [
    ['entered', entered],
    ['inside', inside],
    ['completed', completed],
    ['sent', figures.sent],
    ['opened', figures.opened, figures.open_rate],
    ['clicked', figures.clicked, figures.click_rate],
    ['unsubscribed', figures.unsubscribed, figures.unsubscribe_rate],
    ['bounced', figures.bounced, figures.bounce_rate],
  ] as const;
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} component="dl" m={0}>
      {shown.map(([name, value, rate]) => (
        <div key={name}>
          <Text component="dt" size="sm" c="dimmed">
            {t(`report.${name}`)}
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

function Goal({ report: { goal } }: Pick<ReportProps, 'report'>) {
  const t = useTexts('workflows');
  const { number, percent } = useFormats();
  if (!goal) return null;
  return (
    <Text>
      {t('report.goal', { reached: number(goal.reached), of: number(goal.of) })} (
      {percent(goal.rate / 100)})
      {goal.difference !== null && (
        <> · {t('report.difference', { points: number(goal.difference) })}</>
      )}
    </Text>
  );
}

function Steps({ workflow, report }: ReportProps) {
  const t = useTexts('workflows');
  const { number } = useFormats();
  const { nameOf } = useStepWords();
  const noteOf = useNoteWords();
  return (
    <section aria-labelledby="steps">
      <Text component="h2" id="steps" fw={600} mt={0} mb="sm">
        {t('report.steps')}
      </Text>
      <Table.ScrollContainer minWidth={640}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('report.step')}</Table.Th>
              {(['came', 'here', 'sent', 'opened', 'clicked'] as const).map((name) => (
                <Table.Th key={name} ta="end">
                  {t(`report.${name}`)}
                </Table.Th>
              ))}
              <Table.Th>{t('report.left')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {report.steps.map((one) => {
              const step = workflow.steps.find(({ id }) => id === one.step_id);
              const { figures } = one;
              return (
                <Table.Tr key={one.step_id}>
                  <Table.Td>
                    {step ? (
                      <Anchor
                        component={Link}
                        to={builderPath(workflow.id)}
                        search={{ step: step.id } as never}
                      >
                        {nameOf(step)}
                      </Anchor>
                    ) : (
                      t('report.removed', { name: t(`step.${one.type}`) })
                    )}
                  </Table.Td>
                  <Table.Td ta="end">{number(one.entered)}</Table.Td>
                  <Table.Td ta="end">{number(one.here)}</Table.Td>
                  {(['sent', 'opened', 'clicked'] as const).map((name) => (
                    <Table.Td key={name} ta="end">
                      {figures ? number(figures[name]) : '–'}
                    </Table.Td>
                  ))}
                  <Table.Td>
                    {one.left
                      .map(({ outcome, people }) => `${noteOf(outcome)}: ${number(people)}`)
                      .join(' · ')}
                  </Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}
