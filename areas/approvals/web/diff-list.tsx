// The lines of an email or workflow, with added and removed lines marked.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { DiffLine } from '../contract.ts';
import classes from './approvals.module.css';

const SIGNS = { same: '', added: '+', removed: '−' } as const;
/** The number of changed lines shown until the user shows all lines. */
const INITIAL_LINES = 60;

export function DiffList({ lines, hasChanges }: { lines: DiffLine[]; hasChanges: boolean }) {
  const t = useTexts('approvals');
  const [isWhole, setWhole] = useState(!hasChanges);
  const changedLines = lines.filter(({ change }) => change !== 'same');
  const lineList = isWhole ? lines : changedLines;
  const visibleLines = isWhole ? lineList : lineList.slice(0, INITIAL_LINES);
  if (hasChanges && changedLines.length === 0 && !isWhole) return <p>{t('noChanges')}</p>;
  return (
    <>
      <ol className={classes.diff}>
        {visibleLines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: Lines have no identity.
          <li key={index} data-change={hasChanges ? line.change : 'same'}>
            {hasChanges && (
              <span className={classes.sign} aria-label={t(`changes.${line.change}`)}>
                {SIGNS[line.change]}
              </span>
            )}
            {line.part !== 'text' && <b>{t(`parts.${line.part}`)}: </b>}
            <bdi>{line.part !== 'text' && line.text === '*' ? t('everyone') : line.text}</bdi>
          </li>
        ))}
      </ol>
      {!isWhole && lines.length > visibleLines.length && (
        <Button size="compact-sm" variant="subtle" onClick={() => setWhole(true)}>
          {t('showAll')}
        </Button>
      )}
    </>
  );
}
