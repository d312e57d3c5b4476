// The diagram of a recipe: steps from top to bottom, paths side by side. Screen readers get a short
// description instead.
import type { ReactNode } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { Recipe, RecipeStep } from '../recipes.ts';
import { StepIcon } from './icons.tsx';
import classes from './recipe-picture.module.css';

const ICON_KINDS: Record<RecipeStep['type'], string> = {
  EMAIL: 'EMAIL',
  delay: 'delay',
  until: 'delay',
  asks: 'CONDITION',
  matches: 'CONDITION',
  UNSUBSCRIBE: 'ACTION',
};

export function RecipePicture({ recipe }: { recipe: Recipe }) {
  const t = useTexts('workflows');
  const count = countEmails(recipe.steps);
  return (
    <div className={classes.frame} role="img" aria-label={t('gallery.picture', { count })}>
      <div className={classes.tree} aria-hidden="true">
        <StepIcon type="trigger" />
        <Steps steps={recipe.steps} />
      </div>
    </div>
  );
}

const countEmails = (steps: readonly RecipeStep[]): number =>
  steps.reduce((sum, step) => {
    const below = 'yes' in step ? countEmails(step.yes) + countEmails(step.no) : 0;
    return sum + below + (step.type === 'EMAIL' ? 1 : 0);
  }, 0);

function Steps({ steps }: { steps: readonly RecipeStep[] }): ReactNode {
  const t = useTexts('workflows');
  return steps.map((step, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
    <div key={at} className={classes.branch}>
      <span className={classes.line} />
      <StepIcon type={ICON_KINDS[step.type]} />
      {'amount' in step && (
        <span className={classes.label}>
          {t(`delaySummary.${step.unit}`, { count: step.amount })}
        </span>
      )}
      {'yes' in step && (
        <div className={classes.paths}>
          <Path label={t('path.TRUE')} steps={step.yes} />
          <Path label={t('path.FALSE')} steps={step.no} />
        </div>
      )}
    </div>
  ));
}

function Path({ label, steps }: { label: string; steps: readonly RecipeStep[] }) {
  return (
    <div className={classes.branch}>
      <span className={classes.label}>{label}</span>
      <Steps steps={steps} />
    </div>
  );
}
