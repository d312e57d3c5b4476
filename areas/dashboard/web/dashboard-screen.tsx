// The start page. Each panel loads separately, so that a failing one does not affect the others.
import { Button, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { useAreas } from '#platform/web/shell/areas.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { EmailPanels, SmsPanels } from './campaign-panels.tsx';
import classes from './dashboard.module.css';
import { EarnedPanel } from './earned-panel.tsx';
import { Explore } from './explore.tsx';
import { GettingStarted, useIsGettingStarted } from './getting-started.tsx';
import { GrowthPanel } from './growth-panel.tsx';
import { PeriodPanel } from './period-panel.tsx';
import { useHasSms } from './queries.ts';
import { useRange } from './range.ts';
import { RangeChoice } from './range-choice.tsx';
import { HealthPanel, UsagePanel } from './sending-panels.tsx';
import { StoppedCampaigns } from './stopped-campaigns.tsx';
import { ToolPanels, useTools } from './tool-panels.tsx';

// Shown only during onboarding.
const FirstEmail = lazyWithRetry(() => import('./first-email.tsx'));
// The panel is below the fold, so loading it late shifts no visible content.
const GroupsPanel = lazyWithRetry(() => import('./groups-panel.tsx'));

/** Loads the panel only during onboarding; it renders nothing once a first email was sent. */
function OfferedFirstEmail() {
  const isOpen = useIsGettingStarted();
  return <Suspense fallback={null}>{isOpen && <FirstEmail />}</Suspense>;
}

export default function DashboardScreen() {
  const t = useTexts('dashboard');
  const range = useRange();
  return (
    <Page
      title={t('title')}
      actions={
        <>
          <RangeChoice range={range} />
          <NewCampaign />
        </>
      }
    >
      <StoppedCampaigns />
      <GettingStarted />
      <OfferedFirstEmail />
      <Explore />
      <PeriodPanel days={range.days} />
      <div className={classes.top}>
        <GrowthPanel days={range.days} />
        <div className={classes.side}>
          <HealthPanel days={range.days} />
          <UsagePanel />
          <EarnedPanel days={range.days} />
        </div>
      </div>
      <Suspense fallback={<div className={classes.groupsPlace} />}>
        <GroupsPanel days={range.days} />
      </Suspense>
      <Channel title={t('email.title')}>
        <EmailPanels />
      </Channel>
      <Sms />
      <Tools />
    </Page>
  );
}

function NewCampaign() {
  const t = useTexts('dashboard');
  const isGettingStarted = useIsGettingStarted();
  const isOpen = useAreas().navigation.some((entry) => entry.to === '/campaigns');
  if (!isOpen) return null;
  return (
    <Button
      component={Link}
      to="/campaigns/create"
      variant={isGettingStarted ? 'default' : 'filled'}
      leftSection={<IconPlus size={18} stroke={1.75} />}
    >
      {t('email.new')}
    </Button>
  );
}

/** Shown if the account has SMS campaigns, or if one of their queries failed. */
function Sms() {
  const t = useTexts('dashboard');
  // Once shown, the panels remain, so that a panel that retries after an error does not disappear.
  const [isShown, show] = useState(false);
  if (useHasSms() && !isShown) show(true);
  if (!isShown) return null;
  return (
    <Channel title={t('sms.title')}>
      <SmsPanels />
    </Channel>
  );
}

function Tools() {
  const t = useTexts('dashboard');
  const { workflows, forms } = useTools();
  if (!workflows && !forms) return null;
  return (
    <Channel title={t('tools.title')}>
      <ToolPanels />
    </Channel>
  );
}

function Channel({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <>
      <Title order={2} className={classes.channel}>
        {title}
      </Title>
      <div className={classes.columns}>{children}</div>
    </>
  );
}
