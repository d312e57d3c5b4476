// The three steps of registration, with marks for finished steps and the current step.
import { VisuallyHidden } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import classes from './onboarding.module.css';
import { useAccount, useFlags } from './queries.ts';
import { HEADER_STEPS, type HeaderStep, isHeaderStepDone } from './steps.ts';
import { useSession } from '#platform/web/session/session.ts';

export function HeaderStepper({ current }: { current?: HeaderStep }) {
  const t = useTexts('onboarding');
  const { number } = useFormats();
  const flags = useFlags().data?.data;
  const account = useAccount().data;
  const { user } = useSession();
  const profile = account && { website: account.website, name: user.name, surname: user.surname };
  return (
    <ol className={classes.stepper} aria-label={t('header.label')}>
      {HEADER_STEPS.map((step, index) => {
        const isDone = isHeaderStepDone(step, flags, profile);
        return (
          <li
            key={step}
            className={classes.headerStep}
            data-done={isDone || undefined}
            aria-current={step === current ? 'step' : undefined}
          >
            <span className={classes.bullet} aria-hidden="true">
              {isDone ? <IconCheck size={14} stroke={2.25} /> : number(index + 1)}
            </span>
            <span className={classes.headerName}>{t(`header.${step}`)}</span>
            {isDone && <VisuallyHidden>{t('done')}</VisuallyHidden>}
          </li>
        );
      })}
    </ol>
  );
}
