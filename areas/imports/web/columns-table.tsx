// The first rows of the file, with a choice of the target above each column.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { ImportPreview } from '../contract.ts';
import { splitName } from '../full-name.ts';
import type { FieldValueType } from '../shared.ts';
import { ColumnHead } from './column-head.tsx';
import classes from './columns-table.module.css';
import { type MappingPlan, withColumn, withTarget } from './plan.ts';

export interface AccountField {
  id: string;
  title: string;
  type: FieldValueType;
}

export interface ColumnsTableProps {
  preview: ImportPreview;
  plan: MappingPlan;
  fields: readonly AccountField[];
  onChange: (plan: MappingPlan) => void;
}

/** A file may have a thousand columns; this many are drawn at a time. */
const MAX_COLUMNS_SHOWN = 24;
const MAX_ROWS_SHOWN = 6;

export function ColumnsTable({ preview, plan, fields, onChange }: ColumnsTableProps) {
  const t = useTexts('imports');
  const { number } = useFormats();
  const [shown, setShown] = useState(MAX_COLUMNS_SHOWN);
  const columns = plan.columns.slice(0, shown);
  const hiddenCount = plan.columns.length - columns.length;
  return (
    <>
      <div className={classes.scroll} tabIndex={0} role="region" aria-label={t('columns.title')}>
        <table className={classes.table}>
          <thead>
            <tr>
              {columns.map((column) => (
                <th
                  key={column.column}
                  scope="col"
                  data-skipped={column.target === 'skip' || undefined}
                >
                  <ColumnHead
                    column={column}
                    fields={fields}
                    onTargetChange={(target) => onChange(withTarget(plan, column.column, target))}
                    onChange={(change) => onChange(withColumn(plan, column.column, change))}
                  />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {preview.rows.slice(0, MAX_ROWS_SHOWN).map((cells, row) => (
              <tr key={row}>
                {columns.map((column) => (
                  <td key={column.column} data-skipped={column.target === 'skip' || undefined}>
                    {column.target === 'fullname' ? (
                      <NameParts name={cells[column.column] ?? ''} />
                    ) : (
                      <bdi dir={detectDirection(cells[column.column])}>
                        {cells[column.column] ?? ''}
                      </bdi>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {hiddenCount > 0 && (
        <Button
          variant="default"
          size="xs"
          mt="xs"
          onClick={() => setShown(shown + MAX_COLUMNS_SHOWN)}
        >
          {t('columns.more', { count: hiddenCount, shown: number(hiddenCount) })}
        </Button>
      )}
    </>
  );
}

/** Shows where the name is split, as it would be stored. */
function NameParts({ name }: { name: string }) {
  const { first, last } = splitName(name);
  return (
    <>
      <bdi>{first}</bdi>
      {last !== '' && (
        <>
          {' '}
          <span className={classes.cut} aria-hidden="true" /> <bdi>{last}</bdi>
        </>
      )}
    </>
  );
}

/** Numbers are shown left to right: +47 … must not be reversed in right-to-left text. */
function detectDirection(cell: string | undefined): 'ltr' | 'auto' {
  return /^[\s\d+(),.:/-]*$/.test(cell ?? '') ? 'ltr' : 'auto';
}
