// One step of the checklist: mark, name and action. The current step also has a text, and its
// action is prominent.
import { VisuallyHidden } from '@mantine/core';
import { IconCheck, IconLock } from '@tabler/icons-react';
import type { OnboardingFlags } from '#areas/accounts/contract.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import classes from './onboarding.module.css';
import { StepAction } from './step-action.tsx';
import { isDisabled, isDone, type Step } from './steps.ts';

interface StepRowProps {
  step: Step;
  number: number;
  flags: OnboardingFlags;
  isCurrent: boolean;
}

export function StepRow({ step, number, flags, isCurrent }: StepRowProps) {
  const t = useTexts('onboarding');
  const formats = useFormats();
  const isCompleted = isDone(step, flags);
  const isOff = !isCompleted && isDisabled(step, flags);
  return (
    <li
      className={classes.step}
      data-done={isCompleted || undefined}
      data-current={isCurrent || undefined}
      aria-current={isCurrent ? 'step' : undefined}
      aria-disabled={isOff || undefined}
    >
      <span className={classes.bullet} aria-hidden="true">
        {isCompleted ? (
          <IconCheck size={14} stroke={2.25} />
        ) : isOff ? (
          <IconLock size={14} stroke={1.75} />
        ) : (
          formats.number(number)
        )}
      </span>
      <div className={classes.stepBody}>
        <h2 className={classes.stepName}>
          {t(`steps.${step}.title`)}
          {isCompleted && <VisuallyHidden>{t('done')}</VisuallyHidden>}
          {isOff && <VisuallyHidden>{t('notYet')}</VisuallyHidden>}
        </h2>
        {isCurrent && (
          <>
            <p className={classes.stepText}>{t(`steps.${step}.text`)}</p>
            <div className={classes.stepAction}>
              <StepAction step={step} />
            </div>
          </>
        )}
      </div>
      {!isCurrent && !isCompleted && !isOff && (
        <div className={classes.stepAction}>
          <StepAction step={step} isAside />
        </div>
      )}
    </li>
  );
}
