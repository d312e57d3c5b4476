// The palette: blocks, sections by columns, and saved sections, inserted by a drag or a click.
import { Title } from '@mantine/core';
import { useRef } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { BlockType } from '../document.ts';
import { createSection } from '../document-factory.ts';
import { putBlock, putSection, scrollTo, useActions } from './actions.ts';
import { createFreshBlock, KIND_ICONS, KINDS } from './block-kinds.ts';
import { useDraggable } from './drag.ts';
import classes from './palette.module.css';
import { SavedSections } from './saved-sections.tsx';
import { useEditor } from './store.ts';

const LAYOUTS: readonly (readonly number[])[] = [
  [1],
  [1, 1],
  [1, 2],
  [2, 1],
  [1, 1, 1],
  [1, 1, 1, 1],
];

/** `onDone` closes the sheet on small screens. */
export function Palette({ onDone }: { onDone?: () => void }) {
  const t = useTexts('content');
  return (
    <div className={classes.palette}>
      <Title order={2} className={classes.title}>
        {t('palette.blocks')}
      </Title>
      <div className={classes.tiles}>
        {KINDS.map((kind) => (
          <BlockTile key={kind} kind={kind} onDone={onDone} />
        ))}
      </div>
      <Title order={2} className={classes.title}>
        {t('palette.columns')}
      </Title>
      <div className={classes.layouts}>
        {LAYOUTS.map((ratios) => (
          <LayoutTile key={ratios.join()} ratios={ratios} onDone={onDone} />
        ))}
      </div>
      <Title order={2} className={classes.title}>
        {t('saved.title')}
      </Title>
      <SavedSections onDone={onDone} />
    </div>
  );
}

function BlockTile({ kind, onDone }: { kind: BlockType; onDone: (() => void) | undefined }) {
  const t = useTexts('content');
  const editor = useEditor();
  const { nameOf, announce } = useActions();
  const tile = useRef<HTMLButtonElement>(null);
  useDraggable(tile, () => ({ kind: 'new-block', create: () => createFreshBlock(kind, t) }));
  const Icon = KIND_ICONS[kind];
  const add = () => {
    const block = createFreshBlock(kind, t);
    putBlock(editor, block, editor.store.getState().selected);
    announce(t('said.added', { name: nameOf(block.id) }));
    scrollTo(block.id);
    onDone?.();
  };
  return (
    <button ref={tile} type="button" className={classes.tile} onClick={add}>
      <Icon size={20} stroke={1.5} />
      <span>{t(`kinds.${kind}`)}</span>
    </button>
  );
}

function LayoutTile({
  ratios,
  onDone,
}: {
  ratios: readonly number[];
  onDone: (() => void) | undefined;
}) {
  const t = useTexts('content');
  const { list, number } = useFormats();
  const editor = useEditor();
  const { nameOf, announce } = useActions();
  const tile = useRef<HTMLButtonElement>(null);
  const make = () =>
    createSection(
      ratios.map(() => []),
      { ratios: [...ratios] },
    );
  useDraggable(tile, () => ({ kind: 'new-section', create: make }));
  const add = () => {
    const section = make();
    putSection(editor, section, editor.store.getState().selected);
    announce(t('said.added', { name: nameOf(section.id) }));
    scrollTo(section.id);
    onDone?.();
  };
  return (
    <button
      ref={tile}
      type="button"
      className={classes.layout}
      aria-label={t('palette.layout', { ratios: list(ratios.map((ratio) => number(ratio))) })}
      onClick={add}
    >
      {ratios.map((ratio, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: ratios repeat
        <span key={index} style={{ flex: ratio }} />
      ))}
    </button>
  );
}
