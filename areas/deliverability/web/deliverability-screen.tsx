// All domains and their next step, and the received report files.
import { Button, FileButton } from '@mantine/core';
import { IconMailCheck, IconUpload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useAction } from '#platform/web/api/queries.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { EmptyState, FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { DomainSummary } from '../contract.ts';
import { AdviceNote } from './advice.tsx';
import { FileList } from './file-list.tsx';
import { Health } from './health.tsx';
import Pilot from './pilot/pilot.tsx';
import { api, DELIVERABILITY, SCREEN } from './queries.ts';
import classes from './deliverability.module.css';

export default function DeliverabilityScreen() {
  const t = useTexts('deliverability');
  const domains = useQuery(api.query('GET /client-api/api/deliverability/domains'));
  return (
    <Page
      title={t('title')}
      description={t('description')}
      width="reading"
      actions={domains.data && domains.data.data.length > 0 && <UploadButton />}
    >
      {domains.data ? (
        <Domains domains={domains.data.data} />
      ) : domains.isLoadingError ? (
        <FailedState error={domains.error} retry={() => void domains.refetch()} />
      ) : (
        <LoadingState rows={4} />
      )}
    </Page>
  );
}

function Domains({ domains }: { domains: DomainSummary[] }) {
  const t = useTexts('deliverability');
  if (domains.length === 0) {
    return (
      <>
        <EmptyState
          icon={IconMailCheck}
          title={t('empty.title')}
          action={
            <Button component={Link} to="/settings/domains?add=1">
              {t('empty.action')}
            </Button>
          }
        >
          {t('empty.text')}
        </EmptyState>
        {/* Domains that the account has not added also have a health status. */}
        <Health isOptional />
      </>
    );
  }
  return (
    <>
      <Health />
      <Pilot />
      <h2 className={classes.heading}>{t('domains')}</h2>
      <ul className={classes.cards}>
        {domains.map((domain) => (
          <DomainCard key={domain.id} domain={domain} />
        ))}
      </ul>
      <h2 className={classes.heading}>{t('signals.title')}</h2>
      <p>
        {t('signals.text')}{' '}
        <Link to={`${SCREEN}/signals`} className={classes.link}>
          {t('signals.open')}
        </Link>
      </p>
      <FileList />
    </>
  );
}

function DomainCard({ domain }: { domain: DomainSummary }) {
  const t = useTexts('deliverability');
  const { number, percent, date } = useFormats();
  const { messages, aligned } = domain.totals;
  return (
    <li className={classes.card}>
      <h3>
        <Link to={`${SCREEN}/${domain.id}`} className={classes.link}>
          <bdi dir="ltr">{domain.shown_name}</bdi>
        </Link>
      </h3>
      <p>
        {messages === 0
          ? t('noFigures')
          : t('figures', { amount: number(messages), share: percent(aligned / messages) })}
        {domain.last_report && (
          <> · {t('lastReport', { day: date(`${domain.last_report}T12:00:00Z`) })}</>
        )}
      </p>
      <AdviceNote domain={domain} />
    </li>
  );
}

function UploadButton() {
  const t = useTexts('deliverability');
  const upload = useAction(
    (file: File) => {
      const form = new FormData();
      form.append('file', file);
      return api.upload('POST /client-api/api/deliverability/files', form);
    },
    { invalidates: [DELIVERABILITY], onDone: () => toast(t('upload.done')) },
  );
  return (
    <FileButton onChange={(file) => file && upload.mutate(file)}>
      {(props) => (
        <Button
          {...props}
          variant="default"
          leftSection={<IconUpload size={18} stroke={1.75} />}
          loading={upload.isPending}
        >
          {t('upload.action')}
        </Button>
      )}
    </FileButton>
  );
}
