// Common segments to start from: a click fills in the conditions, which can then be edited.
import { Button } from '@mantine/core';
import { useTexts } from '#platform/web/texts/texts.ts';
import { condition, writeFilter } from '../filter-grammar.ts';
import classes from './segment-editor.module.css';

const STARTERS = {
  fresh: [condition('created', 'weeks', '4')],
  engaged: [condition('click', 'months', '3'), condition('email_status', 'is', 'active')],
  sleeping: [
    condition('not_active_subscribers', 'months', '6'),
    condition('email_status', 'is', 'active'),
  ],
  buyers: [condition('placed_order', 'months', '12')],
};

interface StartersProps {
  onSelect: (starter: { title: string; filter: string }) => void;
}

export function Starters({ onSelect }: StartersProps) {
  const t = useTexts('segments');
  return (
    <div className={classes.starters} role="group" aria-label={t('starters.title')}>
      <span className={classes.startersTitle}>{t('starters.title')}</span>
      {Object.entries(STARTERS).map(([name, conditions]) => (
        <Button
          key={name}
          variant="default"
          size="xs"
          onClick={() =>
            onSelect({ title: t(`starters.${name}`), filter: writeFilter(conditions) })
          }
        >
          {t(`starters.${name}`)}
        </Button>
      ))}
    </div>
  );
}
