// The checklist of a new owner: six steps, one of them current.
import { Anchor, Button } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { OnboardingFlags } from '#areas/accounts/contract.ts';
import { failure } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { USERS_PATH, useSession } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { ScreenLink } from '#platform/web/ui/screen-link.tsx';
import { Redirect } from '#platform/web/ui/redirect.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { HeaderStepper } from './header-stepper.tsx';
import classes from './onboarding.module.css';
import { api, useDomains, useFlags } from './queries.ts';
import { StepRow } from './step-row.tsx';
import { findCurrentStep, isDone, STEPS } from './steps.ts';

/** Value of `users.tour` once the checklist is finished. */
const TOUR_FINISHED = 2;

export default function ChecklistScreen() {
  const { user, account } = useSession();
  // Redirects a user who finished the checklist before, or whose account has sample data.
  // `useFinish` handles a user who finishes it here.
  const [wasFinished] = useState(user.tour === TOUR_FINISHED || account.is_sample === true);
  if (wasFinished) return <Redirect to="/" />;
  return <Checklist />;
}

function Checklist() {
  const t = useTexts('onboarding');
  const flags = useFlags();
  return (
    <Page title={t('heading')} description={t('intro')} width="reading">
      {flags.data ? (
        <Steps flags={flags.data.data} />
      ) : flags.isError ? (
        <FailedState error={flags.error} title={t('errors.fetch')} retry={flags.refetch} />
      ) : (
        <LoadingState rows={6} />
      )}
    </Page>
  );
}

function Steps({ flags }: { flags: OnboardingFlags }) {
  const t = useTexts('onboarding');
  const isDomainWaiting = (useDomains().data?.data.length ?? 0) > 0;
  const current = findCurrentStep(flags, isDomainWaiting);
  const finish = useFinish(current === undefined);
  const completedCount = STEPS.filter((step) => isDone(step, flags)).length;
  return (
    <>
      {!flags.registration_completed && <HeaderStepper />}
      <p className={classes.progress}>
        <progress
          className={classes.bar}
          max={STEPS.length}
          value={completedCount}
          aria-hidden="true"
        />
        {t('progress', { done: completedCount, total: STEPS.length })}
      </p>
      <ol className={classes.steps} aria-label={t('title')}>
        {STEPS.map((step, index) => (
          <StepRow
            key={step}
            step={step}
            number={index + 1}
            flags={flags}
            isCurrent={step === current}
          />
        ))}
      </ol>
      {!flags.email_sent && (
        <p className={classes.first}>
          {t('first.text')}{' '}
          <Anchor component={Link} to="/" underline="always" inherit>
            {t('first.link')}
          </Anchor>
        </p>
      )}
      <p className={classes.first}>
        {t('sms.text')}{' '}
        <Anchor component={ScreenLink} to="/users/sms_onboard" underline="always" inherit>
          {t('sms.link')}
        </Anchor>
      </p>
      {current === undefined && (
        <Button loading={finish.isBusy} onClick={() => void finish.run()}>
          {t('finish')}
        </Button>
      )}
    </>
  );
}

/**
 * Once all steps are done, reports this to the server and opens the dashboard. `run` repeats the
 * report after a failure.
 */
function useFinish(isOver: boolean) {
  const t = useTexts('onboarding');
  const navigate = useNavigate();
  const { user } = useSession();
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    try {
      const params = { id: user.id };
      await api('PATCH /client-api/api/users/{id}', { params, body: { tour: TOUR_FINISHED } });
    } catch {
      failure(t('errors.status'));
      return setBusy(false);
    }
    await invalidate(USERS_PATH).catch(() => failure(t('errors.fetch')));
    await navigate({ to: '/' });
  };
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    if (isOver) void latest.current();
  }, [isOver]);
  return { run, isBusy };
}
