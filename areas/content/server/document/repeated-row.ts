// Repeats a table's first row below the header for each item of a list. The list is a variable of a
// transactional email.
import type { TableBlock } from '../../document.ts';

type RepeatedTable = Pick<TableBlock, 'each' | 'has_header'>;

const isRepeated = ({ each, has_header }: RepeatedTable, row: number) =>
  each !== undefined && each !== '' && row === (has_header ? 1 : 0);

/** Wraps the rendered row in a loop over the list if it is the repeated row. */
export function wrapInLoop(block: RepeatedTable, row: number, rendered: string): string {
  if (!isRepeated(block, row)) return rendered;
  return `{% for item in ${block.each} %}${rendered}{% endfor %}`;
}

const ITEM = /\{\{ {0,3}item\.([\w-]{1,50}) {0,3}\}\}/g;

/** Returns the table with one row per sample item instead of the repeated row. */
export function expandRepeatedRow(
  block: TableBlock,
  items: readonly Record<string, unknown>[],
): TableBlock {
  const { each: _, ...table } = block;
  const rows = block.rows.flatMap((row, r) =>
    isRepeated(block, r)
      ? items.map((item) =>
          row.map((cell) =>
            cell.replaceAll(ITEM, (_tag, name: string) => String(item[name] ?? name)),
          ),
        )
      : [row],
  );
  return { ...table, rows };
}
