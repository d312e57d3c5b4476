// Shown during onboarding: progress and the next step.
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useSession } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import classes from './dashboard.module.css';
import { useOnboarding } from './queries.ts';

/** `users.tour` when finished. */
const TOUR_FINISHED = 2;
const STEPS = [
  'registration_completed',
  'email_verified',
  'domain_verified',
  'subscriber_added',
  'email_sent',
  'report_viewed',
] as const;

/**
 * Returns whether onboarding is offered; its button is then the only primary button of the screen.
 */
export const useIsGettingStarted = () => {
  const { user, account } = useSession();
  return user.tour !== TOUR_FINISHED && account.is_sample !== true;
};

export function GettingStarted() {
  const t = useTexts('dashboard');
  const isOpen = useIsGettingStarted();
  const flags = useOnboarding(isOpen).data?.data;
  if (!isOpen || !flags) return null;
  const completedCount = STEPS.filter((step) => flags[step]).length;
  return (
    <section className={classes.start} aria-label={t('start.title')}>
      <div>
        <h2 className={classes.panelTitle}>{t('start.title')}</h2>
        <p className={classes.note}>
          {t('start.text', { done: completedCount, total: STEPS.length })}
        </p>
      </div>
      <progress
        className={classes.bar}
        max={STEPS.length}
        value={completedCount}
        aria-hidden="true"
      />
      <Button component={Link} to="/complete-registration">
        {t(completedCount === 0 ? 'start.begin' : 'start.goOn')}
      </Button>
    </section>
  );
}
