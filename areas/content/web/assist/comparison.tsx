// Suggestions beside the originals; each can be deselected before the others are applied.
import { Button, Checkbox, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import classes from './comparison.module.css';
import { type SuggestedText, toVisibleText } from './email-texts.ts';

interface ComparisonProps {
  changes: readonly SuggestedText[];
  accept: (changes: SuggestedText[]) => void;
  dismiss: () => void;
  acceptInDuplicate?: (changes: SuggestedText[]) => Promise<void>;
}

export function Comparison({ changes, accept, dismiss, acceptInDuplicate }: ComparisonProps) {
  const t = useTexts('content');
  const duplicate = useAction(async (acceptedTexts: SuggestedText[]) =>
    acceptInDuplicate?.(acceptedTexts),
  );
  const [rejected, setRejected] = useState<readonly SuggestedText[]>([]);
  const different = changes.filter(({ value, next }) => value !== next);
  const acceptedTexts = different.filter((change) => !rejected.includes(change));
  const toggle = (change: SuggestedText) =>
    setRejected((now) =>
      now.includes(change)
        ? now.filter((rejectedChange) => rejectedChange !== change)
        : [...now, change],
    );
  return (
    <>
      {different.length === 0 && <Text>{t('assist.same')}</Text>}
      {different.map((change) => (
        <Pair
          key={`${change.node} ${change.path.join('.')}`}
          before={toVisibleText(change)}
          after={toVisibleText({ ...change, value: change.next })}
          {...(different.length > 1 && {
            isChosen: !rejected.includes(change),
            toggle: () => toggle(change),
          })}
        />
      ))}
      <Group justify="flex-end">
        <Button variant="default" onClick={dismiss}>
          {t('assist.dismiss')}
        </Button>
        {different.length > 0 && acceptInDuplicate && (
          <Button
            variant="default"
            disabled={acceptedTexts.length === 0}
            loading={duplicate.isPending}
            onClick={() => duplicate.mutate(acceptedTexts)}
          >
            {t('assist.useInDuplicate')}
          </Button>
        )}
        {different.length > 0 && (
          <Button disabled={acceptedTexts.length === 0} onClick={() => accept(acceptedTexts)}>
            {t('assist.use')}
          </Button>
        )}
      </Group>
    </>
  );
}

interface PairProps {
  before: string;
  after: string;
  isChosen?: boolean;
  /** Absent for a single suggestion. */
  toggle?: () => void;
}

/** One text and its suggestion, side by side if there is room. */
export function Pair({ before, after, isChosen = true, toggle }: PairProps) {
  const t = useTexts('content');
  return (
    <div className={classes.pair} data-left-out={!isChosen || undefined}>
      {toggle && (
        <Checkbox
          className={classes.choice}
          checked={isChosen}
          onChange={toggle}
          aria-label={`${t('assist.use')}: ${after}`}
        />
      )}
      <div className={classes.text}>
        <Text size="xs" c="dimmed">
          {t('assist.original')}
        </Text>
        <Text size="sm" dir="auto" className={classes.lines}>
          {before || t('assist.none')}
        </Text>
      </div>
      <div className={classes.text}>
        <Text size="xs" c="dimmed">
          {t('assist.suggestion')}
        </Text>
        <Text size="sm" dir="auto" className={classes.lines}>
          {after}
        </Text>
      </div>
    </div>
  );
}
