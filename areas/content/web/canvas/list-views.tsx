// Social links, menus and tables in the canvas.
import { useTexts } from '#platform/web/texts/texts.ts';
import type { BlockOf, RichText } from '../../document.ts';
import { useNetworkNames } from '../network-names.ts';
import { addKeys } from '#platform/web/editing/keyed.ts';
import { useEditor } from '../store.ts';
import classes from './blocks.module.css';
import { borderStyle, justify, resolveTypography, textStyle } from './canvas-styles.ts';
import { resolveAlign, type BlockViewProps, textBlockStyle } from './view-pieces.tsx';
import { EditableText } from './rich-text-view.tsx';

export function SocialView(props: BlockViewProps<'social'>) {
  const { block } = props;
  const t = useTexts('content');
  const networkNames = useNetworkNames();
  return (
    <div
      className={classes.row}
      style={{ justifyContent: justify[resolveAlign(props)], gap: block.gap }}
    >
      {block.links.length === 0 && <span className={classes.hint}>{t('canvas.noLinks')}</span>}
      {addKeys(block.links, ({ network }) => network).map(([key, { network, href }]) => (
        <img
          key={key}
          src={`/i/s/${block.look}-${block.shape}/${network}.png`}
          alt={networkNames[network]}
          width={block.icon_size}
          height={block.icon_size}
          data-dim={href === '' || undefined}
        />
      ))}
    </div>
  );
}

export function MenuView(props: BlockViewProps<'menu'>) {
  const { block } = props;
  const t = useTexts('content');
  return (
    <div style={{ ...textBlockStyle(props), lineHeight: 1.5 }}>
      {block.items.length === 0 && <span className={classes.hint}>{t('canvas.noItems')}</span>}
      {addKeys(block.items, ({ label }) => label).map(([key, { label }], index) => (
        <span key={key}>
          {index > 0 && block.separator}
          <span style={{ display: 'inline-block', padding: `4px ${Math.round(block.gap / 2)}px` }}>
            {label}
          </span>
        </span>
      ))}
    </div>
  );
}

export function TableView(props: BlockViewProps<'table'>) {
  const { block, settings, color } = props;
  const { editBlock } = useEditor();
  const typography = resolveTypography(block, settings);
  const editCell = (cell: { row: number; column: number }) => (html: string) =>
    editBlock(
      block.id,
      (now) => (now.type === 'table' ? { ...now, rows: replaceCell(now.rows, cell, html) } : now),
      `${cell.row}.${cell.column}`,
    );
  return (
    <table className={classes.table}>
      <tbody>
        {toRows(block).map(({ name, cells, isHead, isStripe }) => (
          <tr key={name} data-stripe={isStripe || undefined}>
            {cells.map(({ part, html, align, at }) => (
              <td key={part} style={{ borderBlockEnd: borderStyle(block.line) }}>
                <EditableText
                  id={block.id}
                  part={part}
                  html={html}
                  isLine
                  empty="…"
                  style={{
                    ...textStyle({ ...typography, weight: isHead ? 700 : 400 }),
                    color: color,
                    textAlign: align,
                  }}
                  onChange={editCell(at)}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/**
 * Converts the table to rows. Rows and cells are keyed by position; a cell's key is also the name
 * of the part that is edited.
 */
function toRows({ rows, aligns, has_header, is_striped }: BlockOf<'table'>) {
  return rows.map((row, r) => {
    const isHead = has_header && r === 0;
    return {
      name: `row ${r}`,
      isHead,
      isStripe: is_striped && !isHead && r % 2 === 1,
      cells: row.map((html, c) => ({
        part: `${r}.${c}`,
        html,
        align: aligns[c] ?? 'start',
        at: { row: r, column: c },
      })),
    };
  });
}

const replaceCell = (
  rows: readonly RichText[][],
  { row, column }: { row: number; column: number },
  html: RichText,
) => rows.map((cells, r) => (r === row ? cells.with(column, html) : cells));
