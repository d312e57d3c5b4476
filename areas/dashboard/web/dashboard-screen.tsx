// The start page. Each panel asks for itself: one that fails leaves the others working.
import { Title } from '@mantine/core';
import { useTexts } from '#platform/web/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { EmailPanels, SmsPanels } from './campaign-panels.tsx';
import classes from './dashboard.module.css';
import { EarnedPanel } from './earned-panel.tsx';
import { GettingStarted } from './getting-started.tsx';
import { GrowthPanel } from './growth-panel.tsx';
import { useRange } from './range.ts';
import { RangeChoice } from './range-choice.tsx';
import { HealthPanel, UsagePanel } from './sending-panels.tsx';
import { StoppedCampaigns } from './stopped-campaigns.tsx';

export default function DashboardScreen() {
  const t = useTexts('dashboard');
  const range = useRange();
  return (
    <Page title={t('title')} actions={<RangeChoice range={range} />}>
      <StoppedCampaigns />
      <GettingStarted />
      <div className={classes.top}>
        <GrowthPanel days={range.days} />
        <div className={classes.side}>
          <HealthPanel days={range.days} />
          <UsagePanel />
          <EarnedPanel days={range.days} />
        </div>
      </div>
      <Channel title={t('email.title')}>
        <EmailPanels />
      </Channel>
      <Channel title={t('sms.title')}>
        <SmsPanels />
      </Channel>
    </Page>
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
