// The effects of the import: counts, groups, rows that would be rejected, and sample changes. They
// are computed when the user requests them and, for small files with groups, automatically.
import { ActionIcon, Alert, Button, Progress, Text, Title } from '@mantine/core';
import { IconListSearch, IconPencil } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { MAX_TITLE_LENGTH as MAX_GROUP_TITLE } from '#areas/groups/shared.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { promptInput } from '#platform/web/ui/input-dialog.tsx';
import type { ImportForecast, ImportPreview } from '../contract.ts';
import classes from './forecast-panel.module.css';
import {
  findPlanIssue,
  type MappingPlan,
  showsGroupsAtOnce,
  toForecastBody,
  withGroupName,
} from './plan.ts';
import { useForecast } from './queries.ts';

const FIGURES = [
  'created_count',
  'updated_count',
  'unchanged_count',
  'rejected_count',
  'kept_count',
] as const;

/** Debounces changes while the user is still typing or choosing. */
const PAUSE_MS = 500;

export interface ForecastPanelProps {
  preview: ImportPreview;
  plan: MappingPlan;
  onChange: (plan: MappingPlan) => void;
  /** Whether the import was started. If so, no further forecasts are requested automatically. */
  isOver: boolean;
}

export function ForecastPanel({ preview, plan, onChange, isOver }: ForecastPanelProps) {
  const t = useTexts('imports');
  const order = toForecastBody(preview, plan);
  const now = JSON.stringify(order);
  const [requested, setRequested] = useState<string>();
  const forecast = useForecast(preview.id);
  const isCurrent = requested === now;
  const request = () => {
    setRequested(now);
    forecast.start(order);
  };
  const follows = showsGroupsAtOnce(preview, plan);
  const isAutomatic = !isOver && !isCurrent && follows;
  const requestNow = useEffectEvent(request);
  useEffect(() => {
    if (!isAutomatic) return;
    const timer = setTimeout(() => requestNow(), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [isAutomatic, now]);
  const fault = findPlanIssue(plan);
  const isReady = fault === undefined || fault === 'notAttested';
  const data = isCurrent ? forecast.data : undefined;
  const isRunning =
    forecast.isRequesting || (isCurrent && (data?.state === 'queued' || data?.state === 'running'));
  // While the forecast is updated automatically, the last result stays until the next one arrives,
  // so that the page does not jump.
  const [last, setLast] = useState<ImportForecast>();
  if (data?.state === 'finished' && data !== last) setLast(data);
  const isPending = follows && (isAutomatic || isRunning);
  const visibleForecast = isPending && last !== undefined ? last : data;
  return (
    <section className={classes.panel}>
      <div className={classes.head}>
        <div>
          <Title order={2} className={classes.title}>
            {t('forecast.title')}
          </Title>
          <Text size="sm" c="dimmed">
            {t('forecast.hint')}
          </Text>
        </div>
        <Button
          variant="default"
          leftSection={<IconListSearch size={18} stroke={1.75} />}
          loading={isRunning}
          disabled={!isReady}
          onClick={request}
        >
          {t('forecast.ask')}
        </Button>
      </div>
      {visibleForecast && (
        <div data-stale={visibleForecast !== data || undefined} className={classes.result}>
          <Result
            data={visibleForecast}
            onRename={(title, next) => onChange(withGroupName(plan, title, next))}
          />
        </div>
      )}
    </section>
  );
}

type Rename = (title: string, newTitle: string) => void;

function Result({ data, onRename }: { data: ImportForecast; onRename: Rename }) {
  const t = useTexts('imports');
  const { number, percent } = useFormats();
  if (data.state === 'failed')
    return (
      <Alert color="danger" role="alert">
        {t('forecast.failed')}
      </Alert>
    );
  if (data.state !== 'finished') {
    const progress = data.rowCount === 0 ? 0 : Math.min(1, data.rows_read / data.rowCount);
    return (
      <Progress.Root size="sm">
        <Progress.Section
          value={Math.max(2, progress * 100)}
          animated
          aria-label={t('forecast.title')}
          aria-valuetext={percent(progress)}
        />
      </Progress.Root>
    );
  }
  return (
    <div role="status">
      <dl className={classes.figures}>
        {FIGURES.map((name) => (
          <div key={name}>
            <dt>{t(`forecast.${name}`)}</dt>
            <dd>{number(data[name])}</dd>
          </div>
        ))}
      </dl>
      <Groups groups={data.groups} onRename={onRename} />
      <Reasons title={t('forecast.rejected')} reasons={data.rejected} />
      <Reasons title={t('forecast.noted')} reasons={data.noted} />
      <Reasons title={t('forecast.checks')} reasons={data.checks} />
      {data.samples.length > 0 && <Samples samples={data.samples} />}
    </div>
  );
}

/** Further groups are shown on demand. */
const MAX_GROUPS_SHOWN = 12;

function Groups({ groups, onRename }: { groups: ImportForecast['groups']; onRename: Rename }) {
  const t = useTexts('imports');
  const { number } = useFormats();
  const [isWhole, setWhole] = useState(false);
  const groupLists = [
    { name: 'made', groups: groups.filter((group) => group.is_new) },
    { name: 'there', groups: groups.filter((group) => !group.is_new) },
  ].filter((section) => section.groups.length > 0);
  const isLong = groupLists.some((section) => section.groups.length > MAX_GROUPS_SHOWN);
  return (
    <>
      {groupLists.map((section) => (
        <section key={section.name}>
          <Title order={3} className={classes.part}>
            {t(`forecast.groups.${section.name}`)}
          </Title>
          <ul className={classes.groups}>
            {section.groups.slice(0, isWhole ? undefined : MAX_GROUPS_SHOWN).map((group) => (
              <li key={group.title}>
                <bdi className={classes.group}>{group.title}</bdi>
                {group.is_new && <RenameGroup title={group.title} onRename={onRename} />}
                <span className={classes.joins}>
                  {group.people_count === 0
                    ? t('forecast.groups.noSubscribers')
                    : t('key.people', {
                        count: group.people_count,
                        shown: number(group.people_count),
                      })}
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
      {isLong && !isWhole && (
        <Button variant="default" size="xs" mt="xs" onClick={() => setWhole(true)}>
          {t('forecast.groups.all')}
        </Button>
      )}
    </>
  );
}

/**
 * A group that does not exist yet can be renamed, because some services identify lists only by
 * number.
 */
function RenameGroup({ title, onRename }: { title: string; onRename: Rename }) {
  const t = useTexts('imports');
  const rename = async () => {
    const name = await promptInput({
      type: 'text',
      title: t('forecast.groups.renameTitle'),
      label: t('forecast.groups.name'),
      value: title,
      maxLength: MAX_GROUP_TITLE,
      confirm: t('forecast.groups.rename'),
    });
    const next = name?.trim() ?? '';
    if (next !== '' && next !== title) onRename(title, next);
  };
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="sm"
      aria-label={t('forecast.groups.renameOne', { title })}
      onClick={() => void rename()}
    >
      <IconPencil size={16} stroke={1.75} />
    </ActionIcon>
  );
}

function Reasons({ title, reasons }: { title: string; reasons: ImportForecast['rejected'] }) {
  const { number } = useFormats();
  if (reasons.length === 0) return null;
  return (
    <>
      <Title order={3} className={classes.part}>
        {title}
      </Title>
      <ul className={classes.reasons}>
        {reasons.map(({ reason, message, count }) => (
          <li key={reason}>
            <span className={classes.count}>{number(count)}</span> {message}
          </li>
        ))}
      </ul>
    </>
  );
}

const STATUS_TARGETS: ReadonlySet<string> = new Set(['email_status', 'sms_status']);

function Samples({ samples }: { samples: ImportForecast['samples'] }) {
  const t = useTexts('imports');
  const formatValue = (target: string, value: string) =>
    value !== '' && STATUS_TARGETS.has(target) ? t(`statuses.${value}`) : value;
  return (
    <>
      <Title order={3} className={classes.part}>
        {t('forecast.samples')}
      </Title>
      <div className={classes.scroll} tabIndex={0} role="region" aria-label={t('forecast.samples')}>
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">{t('forecast.who')}</th>
              <th scope="col">{t('forecast.what')}</th>
              <th scope="col">{t('forecast.before')}</th>
              <th scope="col">{t('forecast.after')}</th>
            </tr>
          </thead>
          <tbody>
            {samples.flatMap((sample) =>
              sample.changes.map((change, i) => (
                <tr key={`${sample.name} ${change.target} ${change.title ?? ''}`}>
                  <td>{i === 0 && <bdi>{sample.name}</bdi>}</td>
                  <td>
                    {change.target === 'field' ? (
                      <bdi>{change.title}</bdi>
                    ) : (
                      t(`targets.${change.target}`)
                    )}
                  </td>
                  <td className={classes.before}>
                    <bdi>{formatValue(change.target, change.before)}</bdi>
                  </td>
                  <td>
                    <bdi>{formatValue(change.target, change.after)}</bdi>
                  </td>
                </tr>
              )),
            )}
          </tbody>
        </table>
      </div>
    </>
  );
}
