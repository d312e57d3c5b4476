// Keyboard and button actions on blocks and sections. Moves, copies and deletions are announced to
// screen readers.
import { useCallback, useMemo } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { Block, NodeId, Section } from '../document.ts';
import { describeBlock } from './block-kinds.ts';
import { insertBetweenSections } from './drag.ts';
import { type EmailEditor, useEditor } from './store.ts';
import {
  appendBlock,
  duplicateNode,
  findFooterIndex,
  insertBlock,
  findNode,
  listReadingOrder,
  removeNode,
  stepNode,
} from './tree.ts';

/** Focuses a node after it is rendered. */
export function focusNode(id: NodeId | null): void {
  requestAnimationFrame(() => {
    const element = document.getElementById(id === null ? 'mail-canvas' : `node-${id}`);
    element?.focus({ preventScroll: true });
    element?.scrollIntoView({ block: 'nearest' });
  });
}

/** Scrolls to a node after it is rendered, without moving the focus. */
export function scrollTo(id: NodeId): void {
  requestAnimationFrame(() =>
    document.getElementById(`node-${id}`)?.scrollIntoView({ block: 'center', behavior: 'smooth' }),
  );
}

/**
 * Inserts and selects a block. If `afterId` is a block, the new block is inserted below it. If
 * `afterId` is a section, the block is added to its first empty column, or to its last column if
 * none is empty. Otherwise the block is inserted at the end of the email, above the footer.
 */
export function putBlock(editor: EmailEditor, block: Block, afterId: NodeId | null): void {
  const { document } = editor.store.getState();
  const location = findNode(document, afterId);
  if (location?.kind === 'block') {
    editor.edit((now) => insertBlock(now, location.column.id, location.blockIndex + 1, block));
  } else if (location?.kind === 'section' && location.section.columns[0]) {
    const column = location.section.columns.find(({ blocks }) => blocks.length === 0);
    const into =
      column ?? (location.section.columns.at(-1) as (typeof location.section.columns)[number]);
    editor.edit((now) => insertBlock(now, into.id, into.blocks.length, block));
  } else {
    editor.edit((now) => appendBlock(now, block));
  }
  editor.select(block.id);
}

export function putSection(editor: EmailEditor, section: Section, afterId: NodeId | null): void {
  const { document } = editor.store.getState();
  const location = findNode(document, afterId);
  const index = location ? location.sectionIndex + 1 : findFooterIndex(document);
  insertBetweenSections(editor, { kind: 'new-section', create: () => section }, index);
  editor.select(section.id);
}

export function useActions() {
  const editor = useEditor();
  const t = useTexts('content');
  const { nameOf, positionText } = useNodeTexts();
  const announce = useCallback(
    (announcement: string) => editor.store.setState({ announcement }),
    [editor],
  );

  return useMemo(
    () => ({
      nameOf,
      announce,
      moved: (id: NodeId) => {
        editor.select(id);
        announce(positionText(id));
        focusNode(id);
      },
      step: (id: NodeId, offset: -1 | 1) => {
        editor.edit((document) => stepNode(document, id, offset));
        announce(positionText(id));
        focusNode(id);
      },
      duplicate: (id: NodeId) => {
        const copy = duplicateNode(editor.store.getState().document, id);
        editor.edit(() => copy.document);
        editor.select(copy.id);
        announce(t('said.duplicated', { name: nameOf(copy.id) }));
        focusNode(copy.id);
      },
      remove: (id: NodeId) => {
        const { document } = editor.store.getState();
        const order = listReadingOrder(document);
        const name = nameOf(id);
        editor.edit((now) => removeNode(now, id));
        const remainingIds = new Set(listReadingOrder(editor.store.getState().document));
        const isRemaining = (nodeId: NodeId) => remainingIds.has(nodeId);
        const start = order.indexOf(id);
        const next =
          order.slice(start).find(isRemaining) ??
          order.slice(0, start).findLast(isRemaining) ??
          null;
        editor.select(next);
        announce(t('said.removed', { name }));
        focusNode(next);
      },
      /**
       * Selects the next or previous block or section in reading order; if a section is selected,
       * the next or previous section.
       */
      go: (delta: -1 | 1) => {
        const { document, selected } = editor.store.getState();
        const order = listReadingOrder(document);
        const isSection = findNode(document, selected)?.kind === 'section';
        const ids = isSection ? document.sections.map(({ id }) => id) : order;
        const index = selected === null ? (delta === 1 ? -1 : ids.length) : ids.indexOf(selected);
        const next = ids[index + delta];
        if (next === undefined) return;
        editor.select(next);
        focusNode(next);
      },
    }),
    [editor, t, nameOf, announce, positionText],
  );
}

/** Names and positions of blocks and sections, as announced. */
function useNodeTexts() {
  const editor = useEditor();
  const t = useTexts('content');
  const { number } = useFormats();

  const nameOf = useCallback(
    (id: NodeId) => {
      const location = findNode(editor.store.getState().document, id);
      if (location === undefined) return '';
      if (location.kind === 'block') return describeBlock(location.block, t);
      return t('canvas.section', { at: number(location.sectionIndex + 1) });
    },
    [editor, t, number],
  );
  const positionText = useCallback(
    (id: NodeId) => {
      const location = findNode(editor.store.getState().document, id);
      if (location === undefined) return '';
      return t('said.moved', {
        name: nameOf(id),
        section: number(location.sectionIndex + 1),
        at: number(location.kind === 'block' ? location.blockIndex + 1 : location.sectionIndex + 1),
      });
    },
    [editor, t, nameOf, number],
  );
  return { nameOf, positionText };
}
