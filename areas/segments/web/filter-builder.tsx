// The builder: cards of conditions. A card has one conjunction between its conditions, and one that
// joins it to the cards before it. The builder's value is the text of a filter without incomplete
// conditions.
import { Button, SegmentedControl, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Fragment, useEffect, useRef, useState } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { parseFilter, writeFilter } from '../filter-grammar.ts';
import { type Concat, MAX_CONDITIONS } from '../shared.ts';
import { useTitles } from './choices.ts';
import { ConditionCard } from './condition-card.tsx';
import { type Card, toCards, toConditions, isComplete, createCard } from './drafts.ts';
import classes from './filter-builder.module.css';

interface FilterBuilderProps {
  /** The filter's text; an external change is shown by the builder. */
  value: string;
  /** Called with each change of the complete conditions. */
  onChange: (filter: string) => void;
  /** Called with the number of incomplete conditions, which are not part of the text. */
  onUnfinished?: (count: number) => void;
}

export default function FilterBuilder({ value, onChange, onUnfinished }: FilterBuilderProps) {
  const { cards, change } = useCards(value, onChange);
  const [newId, setNewId] = useState<string>();
  const root = useRef<HTMLDivElement>(null);
  const drafts = cards.flatMap((card) => card.drafts);
  const titles = useTitles(drafts.flatMap((draft) => draft.condition ?? []));
  const unfinishedCount = drafts.filter((draft) => draft.condition && !isComplete(draft)).length;
  useEffect(() => onUnfinished?.(unfinishedCount), [unfinishedCount, onUnfinished]);
  const isFull = drafts.length >= MAX_CONDITIONS;
  const replace = (index: number, ...replacements: Card[]) =>
    change([...cards.slice(0, index), ...replacements, ...cards.slice(index + 1)]);
  const focus = (selector: string) =>
    requestAnimationFrame(() => root.current?.querySelector<HTMLElement>(selector)?.focus());
  return (
    <div className={classes.builder} ref={root}>
      {cards.map((card, index) => (
        <Fragment key={card.id}>
          {index > 0 && (
            <ConjunctionSwitch
              position={index + 1}
              value={card.outerConjunction}
              onChange={(outerConjunction) => replace(index, { ...card, outerConjunction })}
            />
          )}
          <ConditionCard
            card={card}
            position={index + 1}
            isAlone={cards.length === 1}
            isFull={isFull}
            titles={titles}
            newId={newId}
            onChange={(next, added) => {
              // The focused element was removed: the focus moves to the add button.
              if (next.drafts.length < card.drafts.length) focus('[data-add-card]');
              setNewId(added);
              replace(index, next);
            }}
            onDuplicate={() => {
              const copy = copyCard(card);
              setNewId(copy.drafts[0]?.id);
              replace(index, card, copy);
            }}
            onRemove={() => {
              focus('[data-add-card]');
              replace(index, ...(cards.length === 1 ? [createCard()] : []));
            }}
          />
        </Fragment>
      ))}
      <BuilderFooter
        isFull={isFull}
        unfinishedCount={unfinishedCount}
        onAdd={() => {
          const card = createCard('or');
          setNewId(card.drafts[0]?.id);
          change([...cards, card]);
        }}
      />
    </div>
  );
}

const copyCard = (card: Card) =>
  createCard(
    card.outerConjunction,
    card.drafts.map((draft) => draft.condition),
  );

interface BuilderFooterProps {
  isFull: boolean;
  unfinishedCount: number;
  onAdd: () => void;
}

function BuilderFooter({ isFull, unfinishedCount, onAdd }: BuilderFooterProps) {
  const t = useTexts('segments');
  return (
    <div className={classes.foot}>
      <Button
        data-add-card
        variant="default"
        size="xs"
        disabled={isFull}
        leftSection={<IconPlus size={16} stroke={1.75} />}
        onClick={onAdd}
      >
        {t('addCard')}
      </Button>
      {unfinishedCount > 0 && (
        <Text size="sm" c="dimmed" role="status">
          {t('unfinished', { count: unfinishedCount })}
        </Text>
      )}
    </div>
  );
}

interface ConjunctionSwitchProps {
  position: number;
  value: Concat;
  onChange: (value: Concat) => void;
}

/** The conjunction of a card with the cards before it. */
function ConjunctionSwitch({ position, value, onChange }: ConjunctionSwitchProps) {
  const t = useTexts('segments');
  return (
    <SegmentedControl
      className={classes.between}
      size="xs"
      aria-label={t('outside', { place: position })}
      value={value}
      data={[
        { value: 'and', label: t('and') },
        { value: 'or', label: t('or') },
      ]}
      onChange={(next) => onChange(next as Concat)}
    />
  );
}

const parseCards = (text: string): Card[] => {
  const cards = toCards(parseFilter(text).conditions);
  return cards.length > 0 ? cards : [createCard()];
};

/**
 * Manages the state of the cards, which is reset when the screen passes a filter that they did not
 * produce.
 */
function useCards(value: string, onChange: (filter: string) => void) {
  const [state, setState] = useState(() => ({
    cards: parseCards(value),
    lastValue: value,
    reportedFilter: value,
  }));
  // `reportedFilter` is the last filter that was reported to the screen by `onChange`. Until the
  // screen passes it back as `value`, other values are outdated, and do not reset the cards.
  if (value !== state.lastValue) {
    const isReported = value === state.reportedFilter;
    const isOld = state.lastValue !== state.reportedFilter && !isReported;
    setState(
      isReported || isOld
        ? { ...state, lastValue: value }
        : { cards: parseCards(value), lastValue: value, reportedFilter: value },
    );
  }
  const change = (cards: Card[]) => {
    const filter = writeFilter(toConditions(cards));
    setState((before) => ({ ...before, cards, reportedFilter: filter }));
    if (filter !== state.reportedFilter) onChange(filter);
  };
  return { cards: state.cards, change };
}
