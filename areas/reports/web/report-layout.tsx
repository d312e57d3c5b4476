// The frame of a report: the name of the campaign, the number of emails still to be sent, actions,
// the tabs and the filter by variant.
import { Button } from '@mantine/core';
import { IconChartLine } from '@tabler/icons-react';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import {
  PauseCampaign,
  subscriberChoices,
  useCampaign,
  replaceTags,
} from '#areas/campaigns/web/index.ts';
import { DeliveryExplanationDialog } from '#areas/delivery/web/index.ts';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { ApiError } from '#platform/web/api/api.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { EmptyState, FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { TestModeNote } from '#platform/web/ui/test-mode.tsx';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import type { Overview } from '../contract.ts';
import { reportPath, useLiveReport, useOverview } from './queries.ts';
import { ShareReport } from './share-report.tsx';
import { useVariantQuery, VariantFilter, withVariant } from './variant-filter.tsx';

export default function ReportLayout() {
  const t = useTexts('reports');
  const id = useParam('campaign');
  const overview = useOverview();
  if (overview.error instanceof ApiError && overview.error.code === 'not_sent_yet') {
    return (
      <EmptyState
        isPage
        icon={IconChartLine}
        title={t('notSentYet.title')}
        action={
          <Button component={Link} to={`/campaigns/${id}`}>
            {t('notSentYet.action')}
          </Button>
        }
      >
        {t('notSentYet.text')}
      </EmptyState>
    );
  }
  if (overview.isError && !overview.data) {
    return <FailedState isPage error={overview.error} retry={() => void overview.refetch()} />;
  }
  if (!overview.data) return <LoadingState rows={8} />;
  return <Report overview={overview.data.data} />;
}

const TABS = ['overview', 'clicks', 'actions', 'groups'] as const;

function Report({ overview }: { overview: Overview }) {
  const t = useTexts('reports');
  const { dateTime, number } = useFormats();
  const { campaign, remaining, zone } = overview;
  useLiveReport(overview.topic);
  const path = reportPath(campaign.id);
  const experiment = useCampaign(campaign.id).data?.data.experiment;
  const tabs = experiment ? ([...TABS, 'experiment'] as const) : TABS;
  const variant = useVariantQuery();
  // The experiment tab compares all variants, so it has no filter by variant.
  const isComparing = useRouterState({
    select: ({ location }) => location.pathname === `${path}/experiment`,
  });
  return (
    <Page
      title={campaign.title}
      back={{ to: '/campaigns', label: t('back') }}
      description={
        <>
          <bdi>{replaceTags(campaign.subject)}</bdi>
          {campaign.sent_at && ` · ${t('sentAt', { time: dateTime(campaign.sent_at, zone) })}`}
        </>
      }
      actions={
        <>
          {remaining > 0 && <PauseCampaign id={campaign.id} />}
          <ExplainDelivery campaign={campaign.id} />
          <ShareReport campaign={campaign.id} zone={zone} />
          <Button component={Link} to={`/campaigns/${campaign.id}/confirm`} variant="default">
            {t('sending')}
          </Button>
        </>
      }
      status={
        remaining > 0 && (
          <StatusDot
            tone="active"
            label={t('waiting', { count: remaining, number: number(remaining) })}
          />
        )
      }
      tabs={tabs.map((tab) => ({
        to: withVariant(`${path}/${tab}`, variant),
        label: t(`tabs.${tab}`),
      }))}
    >
      <TestModeNote>{t('testMode')}</TestModeNote>
      {experiment && !isComparing && <VariantFilter variants={experiment.variants} />}
      <Outlet />
    </Page>
  );
}

/**
 * Opens the delivery explanation, which also covers subscribers who are missing from the report
 * because they were sent nothing.
 */
function ExplainDelivery({ campaign }: { campaign: string }) {
  const t = useTexts('reports');
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {t('actions.ask')}
      </Button>
      <DeliveryExplanationDialog
        isOpen={isOpen}
        close={() => setOpen(false)}
        searchFor="subscriber"
        suggest={async (term, signal) =>
          (await subscriberChoices(campaign, term, signal)).map(({ id, email, name }) => ({
            id,
            value: toUnicodeDomain(email) || name,
            label: <PersonLabel email={email} name={name} />,
          }))
        }
        getQuestion={(subscriber) => ({ campaign, subscriber })}
      />
    </>
  );
}

const PersonLabel = ({ email, name }: { email: string; name: string }) => (
  <>
    <bdi>{toUnicodeDomain(email)}</bdi>
    {name && (
      <>
        {' · '}
        <bdi>{name}</bdi>
      </>
    )}
  </>
);
