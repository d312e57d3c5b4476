// Campaigns that were stopped automatically, each with the reason, until they are resumed or
// canceled.
import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTexts } from '#platform/web/texts/texts.ts';
import classes from './dashboard.module.css';
import { useStopped } from './queries.ts';

export function StoppedCampaigns() {
  const t = useTexts('dashboard');
  const campaigns = useStopped().data?.data ?? [];
  if (campaigns.length === 0) return null;
  return (
    <section aria-label={t('stopped.label')}>
      <ul className={classes.stoppedList}>
        {campaigns.map(({ id, title, reason }) => (
          <li key={id} className={classes.stopped}>
            <IconAlertTriangle size={20} stroke={1.75} aria-hidden="true" />
            <p>
              {t('stopped.text', {
                title: `\u2068${title}\u2069`,
                why: t(`stopped.reasons.${reason}`),
              })}
            </p>
            <Button
              component={Link}
              to={`/campaigns/${id}/report/overview`}
              variant="default"
              size="sm"
            >
              {t('stopped.report')}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
