// A card of conditions joined by one conjunction, with actions to copy and remove it.
import { ActionIcon, Button, SegmentedControl, Tooltip } from '@mantine/core';
import { IconCopy, IconPlus, IconTrash } from '@tabler/icons-react';
import { Fragment } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { Concat } from '../shared.ts';
import { ConditionRow } from './condition-row.tsx';
import {
  type Card,
  type ConditionDraft,
  createDraft,
  changeConjunction,
  getConjunction,
} from './drafts.ts';
import classes from './filter-builder.module.css';

interface ConditionCardProps {
  card: Card;
  /** Position among the cards, from 1. */
  position: number;
  isAlone: boolean;
  isFull: boolean;
  titles: ReadonlyMap<string, string>;
  /** Id of the draft that was added last. */
  newId: string | undefined;
  /** @param addedId the ID of the draft to focus */
  onChange: (card: Card, addedId?: string) => void;
  onDuplicate: () => void;
  onRemove: () => void;
}

export function ConditionCard(props: ConditionCardProps) {
  const { card, position, isAlone, isFull, titles, newId, onChange, onRemove } = props;
  const t = useTexts('segments');
  const conjunction = getConjunction(card);
  const change = (drafts: ConditionDraft[], addedId?: string) =>
    onChange({ ...card, drafts }, addedId);
  const insert = (index: number, draft: ConditionDraft) =>
    change([...card.drafts.slice(0, index), draft, ...card.drafts.slice(index)], draft.id);
  return (
    <section className={classes.card} aria-label={t('card', { place: position })}>
      {card.drafts.length > 1 && (
        <ConjunctionSwitch card={card} position={position} onChange={onChange} />
      )}
      {card.drafts.map((draft, index) => (
        <Fragment key={draft.id}>
          {index > 0 && (
            <span className={classes.word}>
              {t(draft.condition?.inside_concat ?? conjunction ?? 'and')}
            </span>
          )}
          <ConditionRow
            draft={draft}
            position={index + 1}
            conjunction={conjunction ?? 'and'}
            titles={titles}
            isNew={draft.id === newId}
            onChange={(condition) =>
              change(
                card.drafts.map((other) =>
                  other.id === draft.id ? { ...other, condition } : other,
                ),
              )
            }
            onDuplicate={() => insert(index + 1, createDraft(draft.condition))}
            onRemove={() => {
              const drafts = card.drafts.filter((other) => other.id !== draft.id);
              if (drafts.length === 0) onRemove();
              else change(drafts);
            }}
          />
        </Fragment>
      ))}
      <div className={classes.cardFoot}>
        <Button
          variant="subtle"
          size="compact-sm"
          disabled={isFull}
          leftSection={<IconPlus size={16} stroke={1.75} />}
          onClick={() => insert(card.drafts.length, createDraft())}
        >
          {t('addCondition')}
        </Button>
        {(!isAlone || card.drafts.length > 1) && <CardActions {...props} />}
      </div>
    </section>
  );
}

/** Whether all or any of the card's conditions must apply. */
function ConjunctionSwitch({
  card,
  position,
  onChange,
}: Pick<ConditionCardProps, 'card' | 'position' | 'onChange'>) {
  const t = useTexts('segments');
  return (
    <SegmentedControl
      className={classes.joined ?? ''}
      size="xs"
      aria-label={t('joined', { place: position })}
      // Nothing is selected if an imported filter mixes both conjunctions.
      value={getConjunction(card) ?? ''}
      data={[
        { value: 'and', label: t('all') },
        { value: 'or', label: t('any') },
      ]}
      onChange={(value) => onChange(changeConjunction(card, value as Concat))}
    />
  );
}

function CardActions({ position, isFull, onDuplicate, onRemove }: ConditionCardProps) {
  const t = useTexts('segments');
  return (
    <span className={classes.cardActs}>
      <Tooltip label={t('duplicateCard', { place: position })}>
        <ActionIcon
          aria-label={t('duplicateCard', { place: position })}
          disabled={isFull}
          onClick={onDuplicate}
        >
          <IconCopy size={16} stroke={1.75} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t('removeCard', { place: position })}>
        <ActionIcon aria-label={t('removeCard', { place: position })} onClick={onRemove}>
          <IconTrash size={16} stroke={1.75} />
        </ActionIcon>
      </Tooltip>
    </span>
  );
}
