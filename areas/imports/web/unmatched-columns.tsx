// A hint above the table: the skipped columns, listed so that they are visible without scrolling.
// Buttons create a field for one of them or for each.
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import {
  listUnmatchedColumns,
  type MappingPlan,
  type PlannedColumn,
  withNewFields,
} from './plan.ts';
import classes from './unmatched-columns.module.css';

/** Number of columns listed by name; further ones are shown as a count. */
const MAX_COLUMNS_SHOWN = 12;

export function UnmatchedColumns(props: {
  plan: MappingPlan;
  onChange: (plan: MappingPlan) => void;
}) {
  const { plan, onChange } = props;
  const t = useTexts('imports');
  const { number } = useFormats();
  const columns = listUnmatchedColumns(plan);
  if (columns.length === 0) return null;
  const getColumnName = (column: PlannedColumn) =>
    column.title || t('columns.number', { number: number(column.column + 1) });
  const create = (columnIndexes: readonly number[]) => {
    const columnNames = new Map(columns.map((column) => [column.column, getColumnName(column)]));
    const next = withNewFields(plan, columnIndexes);
    onChange({
      ...next,
      columns: next.columns.map((column) => ({
        ...column,
        newTitle: column.newTitle || (columnNames.get(column.column) ?? ''),
      })),
    });
  };
  return (
    <section className={classes.panel} aria-label={t('unmatched.label')}>
      <p className={classes.words}>{t('unmatched.title')}</p>
      <ul className={classes.list}>
        {columns.slice(0, MAX_COLUMNS_SHOWN).map((column) => (
          <li key={column.column}>
            <Button
              variant="default"
              size="xs"
              leftSection={<IconPlus size={14} stroke={2} />}
              aria-label={t('unmatched.createOne', { column: getColumnName(column) })}
              onClick={() => create([column.column])}
            >
              <bdi>{getColumnName(column)}</bdi>
            </Button>
          </li>
        ))}
        {columns.length > MAX_COLUMNS_SHOWN && (
          <li className={classes.more}>
            {t('unmatched.more', { shown: number(columns.length - MAX_COLUMNS_SHOWN) })}
          </li>
        )}
      </ul>
      {columns.length > 1 && (
        <Button
          variant="default"
          size="sm"
          onClick={() => create(columns.map((column) => column.column))}
        >
          {t('unmatched.createAll')}
        </Button>
      )}
    </section>
  );
}
