// The state of the installation: problems first, then the state of the database and disks,
// processes, relays, queued jobs and errors.
import { Button, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { invalidate } from '#platform/web/api/queries.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { InstallationHealth } from '../contract.ts';
import classes from './operator.module.css';
import { OperatorPage } from './operator-page.tsx';
import { api, HEALTH, useOperatorTabs } from './queries.ts';
import { Problems } from './problems.tsx';

const REFRESH_MS = 10_000;

export default function HealthScreen() {
  const t = useTexts('operator');
  const tabs = useOperatorTabs();
  const health = useQuery({
    ...api.query('GET /client-api/api/operator/health', {}),
    refetchInterval: REFRESH_MS,
    retry: false,
  });
  return (
    <OperatorPage title={t('title')} tabs={tabs} width="reading">
      {health.data ? (
        <HealthSections health={health.data.data} />
      ) : health.isError ? (
        <FailedState error={health.error} retry={() => void health.refetch()} />
      ) : (
        <LoadingState rows={8} />
      )}
    </OperatorPage>
  );
}

function HealthSections({ health }: { health: InstallationHealth }) {
  return (
    <div className={classes.sections}>
      <Problems problems={health.troubles} />
      <Figures health={health} />
      <Processes processes={health.processes} />
      {health.relays.length > 0 && <Relays relays={health.relays} />}
      {health.queue.length > 0 && <Queue queue={health.queue} />}
      {health.errors.length > 0 && <Errors errors={health.errors} />}
    </div>
  );
}

function Figures({ health }: { health: InstallationHealth }) {
  const t = useTexts('operator');
  const { number, relative, bytes } = useFormats();

  const { database, disks, open_messages: open, oldest_job: oldest, sending_rate: rate } = health;
  const dueJobs = health.queue.reduce((sum, job) => sum + job.due, 0);
  return (
    <dl className={classes.figures}>
      <Figure label={t('figures.version')} value={health.version}>
        {t('figures.software', { node: health.node, postgres: database.version })}
      </Figure>
      <Figure label={t('figures.open')} value={number(open)} />
      <Figure label={t('figures.rate')} value={rate === null ? '–' : number(rate)} />
      <Figure label={t('figures.due')} value={number(dueJobs)}>
        {oldest ? t('figures.oldest', { time: relative(oldest) }) : t('figures.none')}
      </Figure>
      <Figure label={t('figures.database')} value={bytes(database.bytes)}>
        {t('figures.connections', { figure: number(database.connections) })}
      </Figure>
      {disks.map(({ host, free, total }) => (
        <Figure key={host} label={t('figures.disk')} value={bytes(free)}>
          {t('figures.of', { total: bytes(total), host })}
        </Figure>
      ))}
    </dl>
  );
}

function Figure(props: { label: string; value: string; children?: ReactNode }) {
  return (
    <div className={classes.figure}>
      <dt>{props.label}</dt>
      <dd>
        <bdi>{props.value}</bdi>
        {props.children && <span className={classes.beside}>{props.children}</span>}
      </dd>
    </div>
  );
}

function Section({
  title,
  columnTitles,
  children,
}: {
  title: string;
  columnTitles: readonly string[];
  children: ReactNode;
}) {
  return (
    <section aria-label={title}>
      <h2 className={classes.heading}>{title}</h2>
      <Table.ScrollContainer minWidth={480} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              {columnTitles.map((text) => (
                <Table.Th key={text}>{text}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>{children}</Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}

function Processes({ processes }: { processes: InstallationHealth['processes'] }) {
  const t = useTexts('operator');
  const { bytes, milliseconds, relative } = useFormats();
  const columnTitles = (['role', 'host', 'state', 'memory', 'pause', 'started'] as const).map(
    (name) => t(`roles.${name}`),
  );
  return (
    <Section title={t('roles.title')} columnTitles={columnTitles}>
      {processes.map((process) => (
        <Table.Tr key={process.id}>
          <Table.Td>{t(`roles.names.${process.role}`, { defaultValue: process.role })}</Table.Td>
          <Table.Td>
            <bdi>{process.host}</bdi>
          </Table.Td>
          <Table.Td>
            <StatusDot
              tone={process.is_alive ? 'success' : 'danger'}
              label={
                process.is_alive
                  ? t('roles.alive')
                  : t('roles.silent', { time: relative(process.seen) })
              }
            />
          </Table.Td>
          <Table.Td>{bytes(process.memory_megabytes * 1_000_000)}</Table.Td>
          <Table.Td>
            {process.longest_pause === null ? '–' : milliseconds(process.longest_pause)}
          </Table.Td>
          <Table.Td>{relative(process.started)}</Table.Td>
        </Table.Tr>
      ))}
    </Section>
  );
}

const TONES = { ready: 'success', waiting: 'warning', refused: 'danger' } as const;

function Relays({ relays }: { relays: InstallationHealth['relays'] }) {
  const t = useTexts('operator');
  const { number } = useFormats();
  const columnTitles = (['name', 'state', 'accepted', 'refused'] as const).map((name) =>
    t(`relays.${name}`),
  );
  return (
    <Section title={t('relays.title')} columnTitles={columnTitles}>
      {relays.map((relay) => (
        <Table.Tr key={relay.name}>
          <Table.Td>
            <bdi>{relay.name}</bdi>
          </Table.Td>
          <Table.Td>
            <StatusDot tone={TONES[relay.is]} label={t(`relays.is.${relay.is}`)} />
            {relay.reply && (
              <Text size="xs" c="dimmed">
                <bdi>{relay.reply}</bdi>
              </Text>
            )}
          </Table.Td>
          <Table.Td>{number(relay.accepted)}</Table.Td>
          <Table.Td>{number(relay.refused)}</Table.Td>
        </Table.Tr>
      ))}
    </Section>
  );
}

function Queue({ queue }: { queue: InstallationHealth['queue'] }) {
  const t = useTexts('operator');
  const { number } = useFormats();
  const columns = ['due', 'running', 'later', 'given_up'] as const;
  const columnTitles = [t('queue.job'), ...columns.map((name) => t(`queue.${name}`))];
  const retry = async (kind: string) => {
    const { data } = await api('POST /client-api/api/operator/jobs/retry', { body: { job: kind } });
    toast(t('queue.retried', { figure: number(data.count) }));
    await invalidate(HEALTH);
  };
  return (
    <Section title={t('queue.title')} columnTitles={columnTitles}>
      {queue.map((job) => (
        <Table.Tr key={job.job}>
          <Table.Td>
            <bdi dir="ltr">{job.job}</bdi>
          </Table.Td>
          {columns.map((name) => (
            <Table.Td key={name}>
              {number(job[name])}
              {name === 'given_up' && job.given_up > 0 && (
                <Button
                  ms="sm"
                  size="compact-sm"
                  variant="default"
                  aria-label={t('queue.retryOf', { job: job.job })}
                  onClick={() => void retry(job.job)}
                >
                  {t('queue.retry')}
                </Button>
              )}
            </Table.Td>
          ))}
        </Table.Tr>
      ))}
    </Section>
  );
}

function Errors({ errors }: { errors: InstallationHealth['errors'] }) {
  const t = useTexts('operator');
  const { number, relative } = useFormats();
  const columnTitles = (['what', 'role', 'count', 'last'] as const).map((name) =>
    t(`errors.${name}`),
  );
  return (
    <Section title={t('errors.title')} columnTitles={columnTitles}>
      {errors.map((error) => (
        <Table.Tr key={`${error.role} ${error.message} ${error.text} ${error.at}`}>
          <Table.Td dir="ltr" lang="en">
            {error.message}
            {error.text && (
              <Text size="xs" c="dimmed">
                {error.text}
              </Text>
            )}
          </Table.Td>
          <Table.Td>{t(`roles.names.${error.role}`, { defaultValue: error.role })}</Table.Td>
          <Table.Td>{number(error.count)}</Table.Td>
          <Table.Td>{relative(error.at)}</Table.Td>
        </Table.Tr>
      ))}
    </Section>
  );
}
