// The page of a step before sending, with the broadcast's name and the trail of steps. Emails have
// Settings → Design → Recipients → Review and send; SMS have no design.
import { Button } from '@mantine/core';
import { IconCheck, IconChevronRight } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import classes from './steps.module.css';
import type { Broadcast, BroadcastUi } from './ui.ts';

export interface StepPageProps {
  ui: BroadcastUi;
  campaign: Broadcast | undefined;
  step: string;
  actions?: ReactNode;
  status?: ReactNode;
  children: ReactNode;
}

export function StepPage({ ui, campaign, step, actions, status, children }: StepPageProps) {
  const t = useTexts('broadcasts');
  const maySkipStep =
    campaign?.status === 'DRAFT' &&
    ui.steps.some((uiStep) => uiStep.name === step && uiStep.savesEachChange);
  return (
    <Page
      title={campaign?.title ?? t(ui.newTitleKey)}
      status={status}
      actions={
        <>
          {maySkipStep && (
            <Button component={Link} to={ui.listPath} variant="subtle" color="gray">
              {t('steps.later')}
            </Button>
          )}
          {actions}
        </>
      }
      back={{ to: ui.listPath, label: t(ui.titleKey) }}
    >
      {(campaign === undefined || campaign.status === 'DRAFT') && (
        <StepTrail ui={ui} campaign={campaign} step={step} />
      )}
      {children}
    </Page>
  );
}

/** A step becomes a link once all previous steps are complete. */
export function StepTrail({ ui, campaign, step }: Omit<StepPageProps, 'children'>) {
  const t = useTexts('broadcasts');
  const furthestStep = campaign
    ? ui.steps.findIndex((step) => step.lastAction === campaign.last_action)
    : 0;
  return (
    <nav aria-label={t('steps.label')}>
      <ol className={classes.trail}>
        {ui.steps.map(({ name, text }, index) => {
          const isOpen = campaign !== undefined && index <= furthestStep;
          const isDone = index < furthestStep && name !== step;
          const label = (
            <>
              {isDone && <IconCheck size={14} stroke={2.5} aria-hidden="true" />}
              {t(text)}
            </>
          );
          return (
            <li key={name} className={classes.step} data-open={name === step || undefined}>
              {isOpen && name !== step ? (
                <Link to={ui.getStepPath(campaign.id, name)} className={classes.link}>
                  {label}
                </Link>
              ) : (
                <span
                  className={classes.link}
                  aria-current={name === step ? 'step' : undefined}
                  data-closed={name !== step || undefined}
                >
                  {label}
                </span>
              )}
              {index < ui.steps.length - 1 && (
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
