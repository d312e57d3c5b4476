// The way to send: Settings → Design → Recipients → Review and send, with the campaign's name.
import { Button } from '@mantine/core';
import { IconCheck, IconChevronRight } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTexts } from '#platform/web/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import type { Campaign } from '../contract.ts';
import { STEPS } from '../limits.ts';
import { STEP_NAMES, type StepName, stepPath } from './paths.ts';
import classes from './steps.module.css';

export interface StepPageProps {
  campaign: Campaign | undefined;
  step: StepName;
  actions?: ReactNode;
  status?: ReactNode;
  children: ReactNode;
}

/** Where all is kept as it is chosen, one may leave at any time. */
const KEPT: readonly StepName[] = ['recipients', 'review'];

export function StepPage({ campaign, step, actions, status, children }: StepPageProps) {
  const t = useTexts('campaigns');
  const mayLeave = campaign?.status === 'DRAFT' && KEPT.includes(step);
  return (
    <Page
      title={campaign?.title ?? t('create')}
      status={status}
      actions={
        <>
          {mayLeave && (
            <Button component={Link} to="/campaigns" variant="subtle" color="gray">
              {t('steps.later')}
            </Button>
          )}
          {actions}
        </>
      }
      back={{ to: '/campaigns', label: t('title') }}
    >
      {(campaign === undefined || campaign.status === 'DRAFT') && (
        <StepTrail campaign={campaign} step={step} />
      )}
      {children}
    </Page>
  );
}

/** A step is a link once the steps before it are done. */
export function StepTrail({ campaign, step }: { campaign: Campaign | undefined; step: StepName }) {
  const t = useTexts('campaigns');
  const reached = campaign ? STEPS.indexOf(campaign.last_action) : 0;
  return (
    <nav aria-label={t('steps.label')}>
      <ol className={classes.trail}>
        {STEP_NAMES.map((name, index) => {
          const isOpen = campaign !== undefined && index <= reached;
          const isDone = index < reached && name !== step;
          const words = (
            <>
              {isDone && <IconCheck size={14} stroke={2.5} aria-hidden="true" />}
              {t(`steps.${name}`)}
            </>
          );
          return (
            <li key={name} className={classes.step} data-open={name === step || undefined}>
              {isOpen && name !== step ? (
                <Link to={stepPath(campaign.id, name)} className={classes.link}>
                  {words}
                </Link>
              ) : (
                <span
                  className={classes.link}
                  aria-current={name === step ? 'step' : undefined}
                  data-closed={name !== step || undefined}
                >
                  {words}
                </span>
              )}
              {index < STEP_NAMES.length - 1 && (
                <IconChevronRight
                  size={14}
                  stroke={1.75}
                  className={classes.arrow}
                  aria-hidden="true"
                />
              )}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
