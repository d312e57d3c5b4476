// Received report files. Each file that is not counted is shown with the reason.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { queryClient } from '#platform/web/api/queries.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { StatusDot, type Tone } from '#platform/web/ui/status-dot.tsx';
import type { FileCounts, ReportFile } from '../contract.ts';
import { FILE_STATES, FILES_DAYS } from '../shared.ts';
import { api, DELIVERABILITY } from './queries.ts';
import classes from './deliverability.module.css';

const TONES: Record<ReportFile['state'], Tone> = {
  waiting: 'active',
  parsed: 'success',
  duplicate: 'neutral',
  unreadable: 'warning',
  foreign: 'warning',
};

/** The text key of each error; several errors share one text. */
const TEXT_BY_FAULT: Readonly<Record<string, string>> = {
  damaged: 'damaged',
  several_files: 'several',
  range_too_long: 'period',
  too_old: 'period',
  in_future: 'period',
  foreign_domain: 'foreign',
  file_too_large: 'large',
  unpacked_too_large: 'large',
  too_deep: 'large',
  too_many_records: 'large',
  count_too_large: 'large',
  too_heavy: 'large',
};

const POLL_MS = 2000;

export function FileList() {
  const t = useTexts('deliverability');
  const { data } = useQuery({
    ...api.query('GET /client-api/api/deliverability/files'),
    refetchInterval: (query) => (isWaiting(query.state.data?.data) ? POLL_MS : false),
  });
  useRefreshWhenRead(isWaiting(data?.data));
  if (!data || data.data.length === 0) return null;
  return (
    <section className={classes.section} aria-labelledby="report-files">
      <h2 id="report-files">{t('files.title')}</h2>
      <Counts counts={data.counts} />
      <ul className={classes.rows}>
        {data.data.map((file) => (
          <FileRow key={file.id} file={file} />
        ))}
      </ul>
    </section>
  );
}

function Counts({ counts }: { counts: FileCounts }) {
  const t = useTexts('deliverability');
  const { number } = useFormats();
  const parts = FILE_STATES.filter((state) => counts[state] > 0).map((state) =>
    t('files.count', { state: t(`files.states.${state}`), amount: number(counts[state]) }),
  );
  const receivedText = t('files.received', { days: FILES_DAYS, amount: number(counts.received) });
  return <p>{[receivedText, ...parts].join(' · ')}</p>;
}

const isWaiting = (files: ReportFile[] | undefined) =>
  files?.some(({ state }) => state === 'waiting') ?? false;

/** Refreshes the statistics once the last file is read. */
function useRefreshWhenRead(waits: boolean): void {
  const wasWaiting = useRef(waits);
  useEffect(() => {
    if (wasWaiting.current && !waits) {
      void queryClient.invalidateQueries({
        predicate: ({ queryKey }) => String(queryKey[0]).includes(`${DELIVERABILITY}/domains`),
      });
    }
    wasWaiting.current = waits;
  }, [waits]);
}

function FileRow({ file }: { file: ReportFile }) {
  const t = useTexts('deliverability');
  const { dateTime } = useFormats();
  return (
    <li className={classes.row}>
      <span className={classes.name}>
        {file.origin === 'email' ? t('files.email') : <bdi>{file.name || t('files.upload')}</bdi>}
      </span>
      <span>
        <StatusDot tone={TONES[file.state]} label={t(`files.states.${file.state}`)} />
        {file.fault && <p>{t(`files.faults.${TEXT_BY_FAULT[file.fault] ?? 'other'}`)}</p>}
      </span>
      <span className={classes.end}>{dateTime(file.created)}</span>
    </li>
  );
}
