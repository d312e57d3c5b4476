// A section with its columns, rendered only when it changes.
import { IconEyeOff, IconFilter } from '@tabler/icons-react';
import { type CSSProperties, memo, useMemo, useRef } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import {
  resolveBlockPadding,
  type ColumnBox,
  layOutColumns,
  resolveBackground,
  readSectionHideOn,
  resolveTextColor,
} from '../../document-layout.ts';
import type { Block, SectionColumn, EmailSettings, Padding, Section } from '../../document.ts';
import { useDraggable, useDropTarget } from '../drag.ts';
import { InsertMenu } from '../insert-menu.tsx';
import { NodeTools } from '../node-tools.tsx';
import { useEditor, useEditorState } from '../store.ts';
import { BlockFrame } from './block-frame.tsx';
import classes from './canvas.module.css';
import { borderStyle, paddingStyle } from './canvas-styles.ts';

interface SectionViewProps {
  section: Section;
  index: number;
  settings: EmailSettings;
  isNarrow: boolean;
}

export const SectionView = memo(function SectionView(props: SectionViewProps) {
  const { section, index, settings, isNarrow } = props;
  const t = useTexts('content');
  const { number } = useFormats();
  const editor = useEditor();
  const { id } = section;
  const frame = useRef<HTMLElement>(null);
  const handle = useRef<HTMLButtonElement>(null);
  const isSelected = useEditorState(({ selected }) => selected === id);
  const edge = useEditorState(({ dropLocation }) =>
    dropLocation?.kind === 'section' && dropLocation.id === id ? dropLocation.edge : undefined,
  );
  const isInserting = useEditorState(({ insertAfterId }) => insertAfterId === id);
  useDropTarget(frame, { kind: 'section', id });
  useDraggable(frame, () => ({ kind: 'section', id }), isSelected, handle);
  return (
    <section
      ref={frame}
      id={`node-${id}`}
      data-node={id}
      className={classes.section}
      data-selected={isSelected || undefined}
      data-drop={edge}
      tabIndex={isSelected ? 0 : -1}
      aria-roledescription={t('canvas.sectionRole')}
      aria-label={t('canvas.section', { at: number(index + 1) })}
      style={{ background: section.outer_background ?? undefined }}
      onClick={(event) => {
        event.stopPropagation();
        editor.select(id);
      }}
    >
      {isSelected && <NodeTools id={id} handle={handle} isSection />}
      <SectionMarks section={section} />
      <div className={classes.content} style={contentStyle(section, settings, isNarrow)}>
        <Columns section={section} settings={settings} isNarrow={isNarrow} />
      </div>
      {isInserting && <InsertMenu after={id} />}
    </section>
  );
});

function Columns({ section, settings, isNarrow }: Omit<SectionViewProps, 'index'>) {
  const boxes = useMemo(() => layOutColumns(section, settings), [section, settings]);
  const isStacked = isNarrow && section.stacking !== 'keep';
  const columns =
    isStacked && section.stacking === 'reverse' ? section.columns.toReversed() : section.columns;
  return (
    <div className={classes.columns} data-stacked={isStacked || undefined}>
      {columns.map((column) => {
        const box = boxes[section.columns.indexOf(column)];
        return (
          box && (
            <ColumnView
              key={column.id}
              column={column}
              section={section}
              settings={settings}
              box={box}
              isNarrow={isNarrow}
              isStacked={isStacked}
            />
          )
        );
      })}
    </div>
  );
}

function contentStyle(section: Section, settings: EmailSettings, isNarrow: boolean): CSSProperties {
  const padding = (isNarrow ? section.mobile_padding : null) ?? section.padding;
  const image = section.background_image?.src;
  return {
    maxWidth: settings.width,
    background: section.background ?? section.outer_background ?? settings.content_background,
    ...(image ? { backgroundImage: `url("${image}")`, backgroundSize: 'cover' } : {}),
    border: borderStyle(section.border),
    borderRadius: section.radius || undefined,
    ...paddingStyle(padding),
  };
}

/** Badges for a condition and the screen sizes where the section is hidden. */
function SectionMarks({ section }: { section: Section }) {
  const t = useTexts('content');
  const screens = readSectionHideOn(section);
  if (!section.condition && !screens) return null;
  return (
    <span className={classes.marks}>
      {section.condition && (
        <span>
          <IconFilter size={14} stroke={1.75} aria-hidden="true" />
          {t('canvas.conditional')}
        </span>
      )}
      {screens && (
        <span>
          <IconEyeOff size={14} stroke={1.75} aria-hidden="true" />
          {t(`hideOn.${screens}`)}
        </span>
      )}
    </span>
  );
}

interface ColumnViewProps {
  column: SectionColumn;
  section: Section;
  settings: EmailSettings;
  box: ColumnBox;
  isNarrow: boolean;
  isStacked: boolean;
}

function ColumnView({ column, section, settings, box, isNarrow, isStacked }: ColumnViewProps) {
  const frame = useRef<HTMLDivElement>(null);
  const isOver = useEditorState(
    ({ dropLocation }) => dropLocation?.kind === 'column' && dropLocation.id === column.id,
  );
  useDropTarget(frame, { kind: 'column', id: column.id });
  const outerPadding = isStacked ? { start: 0, end: 0 } : box.outer;
  return (
    <div
      className={classes.column}
      data-column=""
      style={{
        flex: isStacked ? '0 0 100%' : `${box.width} 1 0`,
        paddingInline: `${outerPadding.start}px ${outerPadding.end}px`,
        justifyContent: { top: 'flex-start', middle: 'center', bottom: 'flex-end' }[
          column.vertical
        ],
      }}
    >
      <div
        ref={frame}
        className={classes.blocks}
        data-drop={isOver || undefined}
        style={{
          background: column.background ?? undefined,
          borderRadius: column.radius || undefined,
        }}
      >
        {column.blocks.map((block) => (
          <BlockFrame
            key={block.id}
            block={block}
            settings={settings}
            color={resolveTextColor(
              block,
              resolveBackground(block, column, section, settings),
              settings,
            )}
            padding={createStackedPadding(
              resolveBlockPadding(block, column, box),
              block,
              column,
              isStacked && section.columns.length > 1,
              settings,
            )}
            isNarrow={isNarrow}
          />
        ))}
        {column.blocks.length === 0 && <EmptyColumn section={section} />}
      </div>
    </div>
  );
}

function EmptyColumn({ section }: { section: Section }) {
  const t = useTexts('content');
  const editor = useEditor();
  return (
    <button
      type="button"
      className={classes.emptyColumn}
      onClick={(event) => {
        event.stopPropagation();
        editor.select(section.id);
        editor.store.setState({ insertAfterId: section.id });
      }}
    >
      {t('canvas.emptyColumn')}
    </button>
  );
}

/**
 * In stacked columns without a background, blocks without their own padding use the email's gutter.
 */
function createStackedPadding(
  padding: Padding,
  block: Block,
  column: SectionColumn,
  isStacked: boolean,
  { gutter }: EmailSettings,
): Padding {
  if (!isStacked || column.background !== null || block.style.padding) return padding;
  return { ...padding, start: gutter, end: gutter };
}
