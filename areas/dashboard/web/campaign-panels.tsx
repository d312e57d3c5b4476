// Panels of the latest sent campaigns, the upcoming ones and the drafts of a channel.
import { Anchor } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { computeEngagement, divideOrZero } from '#areas/tracking/shared.ts';
import { useAreas } from '#platform/web/shell/areas.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useSession } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { ScreenLink } from '#platform/web/ui/screen-link.tsx';
import classes from './dashboard.module.css';
import { Panel } from './panel.tsx';
import { type Status, useEmailCampaigns, useSmsCampaigns } from './queries.ts';

const STATUSES: readonly Status[] = ['SENT', 'SCHEDULED', 'DRAFT'];
type CampaignChannel = 'email' | 'sms';

interface Row {
  id: string;
  title: string;
  subject?: string;
  sent_at: string | null;
  scheduled_at: string | null;
  modified: string;
  figures?:
    | { delivered: number; human_opens: number; human_clicks: number }
    | { sent: number; accepted: number; delivered: number | null; clicks: number }
    | null;
}

export function EmailPanels() {
  return STATUSES.map((status) => <EmailPanel key={status} status={status} />);
}

export function SmsPanels() {
  return STATUSES.map((status) => <SmsPanel key={status} status={status} />);
}

function EmailPanel({ status }: { status: Status }) {
  return <Campaigns channel="email" status={status} query={useEmailCampaigns(status)} />;
}

function SmsPanel({ status }: { status: Status }) {
  return <Campaigns channel="sms" status={status} query={useSmsCampaigns(status)} />;
}

interface CampaignsProps {
  channel: CampaignChannel;
  status: Status;
  query: UseQueryResult<{ data: Row[] }>;
}

function Campaigns({ channel, status, query }: CampaignsProps) {
  const t = useTexts('dashboard');
  const list = channel === 'email' ? '/campaigns' : '/sms';
  const isOpen = useAreas().navigation.some((entry) => entry.to === list);
  const title = t(`${channel}.${status}`);
  const failure = status === 'DRAFT' ? undefined : t(`errors.${channel}.${status}`);
  const trailing = isOpen && (
    <Anchor component={ScreenLink} to={list} search={{ status }} fz="sm">
      {t('all')}
    </Anchor>
  );
  return (
    <Panel
      title={title}
      label={`${t(`${channel}.title`)}: ${title}`}
      query={query}
      errorText={failure}
      trailing={trailing}
    >
      {({ data }) =>
        data.length === 0 ? (
          <NoCampaigns channel={channel} status={status} isOpen={isOpen} />
        ) : (
          <ul className={classes.campaigns}>
            {data.map((row) => (
              <Campaign key={row.id} row={row} status={status} to={isOpen ? list : undefined} />
            ))}
          </ul>
        )
      }
    </Panel>
  );
}

function NoCampaigns({
  channel,
  status,
  isOpen,
}: Omit<CampaignsProps, 'query'> & { isOpen: boolean }) {
  const t = useTexts('dashboard');
  const isFirst = channel === 'email' && status === 'DRAFT' && isOpen;
  return (
    <p className={classes.nothing}>
      {t(`${channel}.none.${status}`)}{' '}
      {isFirst && (
        <Anchor component={Link} to="/campaigns/create" underline="always">
          {t('email.create')}
        </Anchor>
      )}
    </p>
  );
}

function Campaign({ row, status, to }: { row: Row; status: Status; to: string | undefined }) {
  const name = row.title || row.subject || '';
  return (
    <li className={classes.campaign}>
      <span className={classes.campaignName}>
        {to ? (
          <Link to={`${to}/${row.id}`} className={classes.campaignLink}>
            <bdi>{name}</bdi>
          </Link>
        ) : (
          <bdi>{name}</bdi>
        )}
        <CampaignTime row={row} status={status} />
      </span>
      {row.figures && <Figures figures={row.figures} />}
    </li>
  );
}

function CampaignTime({ row, status }: { row: Row; status: Status }): ReactNode {
  const t = useTexts('dashboard');
  const { dateTime, relative } = useFormats();
  const { timezone } = useSession().account;
  if (status === 'DRAFT') {
    const modified = relative(row.modified);
    return <time title={dateTime(row.modified, timezone)}>{t('changed', { when: modified })}</time>;
  }
  const at = status === 'SENT' ? row.sent_at : row.scheduled_at;
  return at ? <time dateTime={at}>{dateTime(at, timezone)}</time> : null;
}

function Figures({ figures }: { figures: NonNullable<Row['figures']> }) {
  return 'accepted' in figures ? (
    <SmsFigures figures={figures} />
  ) : (
    <EmailFigures figures={figures} />
  );
}

type FiguresOf<Key extends string> = Extract<NonNullable<Row['figures']>, Record<Key, unknown>>;

function EmailFigures({ figures }: { figures: FiguresOf<'human_opens'> }) {
  const t = useTexts('dashboard');
  const { opens, clicks } = computeEngagement(figures);
  return (
    <dl className={classes.figures}>
      <Count name={t('delivered')} count={figures.delivered} />
      <Share name={t('opened')} {...opens} />
      <Share name={t('clicked')} {...clicks} />
    </dl>
  );
}

/** The number of deliveries is unknown until the provider sends its first receipt. */
function SmsFigures({ figures }: { figures: FiguresOf<'accepted'> }) {
  const t = useTexts('dashboard');
  const { sent, accepted, delivered, clicks } = figures;
  return (
    <dl className={classes.figures}>
      {delivered === null ? (
        <Count name={t('sent')} count={sent} />
      ) : (
        <Count name={t('delivered')} count={delivered} />
      )}
      <Share name={t('clicked')} count={clicks} share={divideOrZero(clicks, accepted)} />
    </dl>
  );
}

function Count({ name, count }: { name: string; count: number }) {
  const { compact, number } = useFormats();
  return (
    <div>
      <dt>{name}</dt>
      <dd title={number(count)}>{compact(count)}</dd>
    </div>
  );
}

function Share({ name, count, share }: { name: string; count: number; share: number }) {
  const { number, percent } = useFormats();
  return (
    <div>
      <dt>{name}</dt>
      <dd title={number(count)}>{percent(share)}</dd>
    </div>
  );
}
