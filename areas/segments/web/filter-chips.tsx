// The conditions of a filter as chips with a remove button, with conjunctions between them.
import { CloseButton, Pill } from '@mantine/core';
import { Fragment } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { parseFilter, writeFilter } from '../filter-grammar.ts';
import type { Condition } from '../shared.ts';
import { useTitles } from './choices.ts';
import { toCards, toConditions } from './drafts.ts';
import classes from './filter-chips.module.css';
import { useReading } from './condition-texts.ts';

interface FilterChipsProps {
  filter: string;
  onChange: (filter: string) => void;
}

export default function FilterChips({ filter, onChange }: FilterChipsProps) {
  const t = useTexts('segments');
  const { conditions } = parseFilter(filter);
  const reading = useReading(useTitles(conditions));
  if (conditions.length === 0) return null;
  const cards = toCards(conditions);
  const remove = (condition: Condition | undefined) =>
    onChange(
      writeFilter(
        toConditions(
          cards.map((card) => ({
            ...card,
            drafts: card.drafts.filter((draft) => draft.condition !== condition),
          })),
        ),
      ),
    );
  return (
    <ul className={classes.chips} aria-label={t('chips')}>
      {cards.map((card, index) => (
        <li key={card.id} className={classes.card} data-many={card.drafts.length > 1 || undefined}>
          {index > 0 && <span className={classes.word}>{t(card.outerConjunction)}</span>}
          <span className={classes.group}>
            {card.drafts.map(({ id, condition }, place) => (
              <Fragment key={id}>
                {place > 0 && (
                  <span className={classes.word}>{t(condition?.inside_concat ?? 'and')}</span>
                )}
                {condition && (
                  <Pill size="lg" className={classes.chip ?? ''} title={reading(condition)}>
                    <span className={classes.text}>{reading(condition)}</span>
                    <CloseButton
                      size={24}
                      aria-label={t('removeChip', { condition: reading(condition) })}
                      onClick={() => remove(condition)}
                    />
                  </Pill>
                )}
              </Fragment>
            ))}
          </span>
        </li>
      ))}
    </ul>
  );
}
