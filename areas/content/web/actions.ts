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
 * Inserts and selects a block. If `after` is a block, the new block is inserted below it. If
 * `after` is a section, it is added to the first empty column, or to the last column if none is
 * empty. Otherwise it is inserted at the end of the email, above the footer.
 */
export function putBlock(editor: EmailEditor, block: Block, after: NodeId | null): void {
  const { document } = editor.store.getState();
  const place = findNode(document, after);
  if (place?.kind === 'block') {
    editor.edit((now) => insertBlock(now, place.column.id, place.at + 1, block));
  } else if (place?.kind === 'section' && place.section.columns[0]) {
    const column = place.section.columns.find(({ blocks }) => blocks.length === 0);
    const into = column ?? (place.section.columns.at(-1) as (typeof place.section.columns)[number]);
    editor.edit((now) => insertBlock(now, into.id, into.blocks.length, block));
  } else {
    editor.edit((now) => appendBlock(now, block));
  }
  editor.select(block.id);
}

export function putSection(editor: EmailEditor, section: Section, after: NodeId | null): void {
  const { document } = editor.store.getState();
  const place = findNode(document, after);
  const at = place ? place.sectionAt + 1 : findFooterIndex(document);
  insertBetweenSections(editor, { kind: 'new-section', make: () => section }, at);
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
      step: (id: NodeId, by: -1 | 1) => {
        editor.edit((document) => stepNode(document, id, by));
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
        const from = order.indexOf(id);
        const next =
          order.slice(from).find(isRemaining) ?? order.slice(0, from).findLast(isRemaining) ?? null;
        editor.select(next);
        announce(t('said.removed', { name }));
        focusNode(next);
      },
      /**
       * Selects the next or previous block or section in reading order; if a section is selected,
       * the next or previous section.
       */
      go: (by: -1 | 1) => {
        const { document, selected } = editor.store.getState();
        const order = listReadingOrder(document);
        const isSection = findNode(document, selected)?.kind === 'section';
        const nodeIds = isSection ? document.sections.map(({ id }) => id) : order;
        const at = selected === null ? (by === 1 ? -1 : nodeIds.length) : nodeIds.indexOf(selected);
        const next = nodeIds[at + by];
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
      const place = findNode(editor.store.getState().document, id);
      if (place === undefined) return '';
      if (place.kind === 'block') return describeBlock(place.block, t);
      return t('canvas.section', { at: number(place.sectionAt + 1) });
    },
    [editor, t, number],
  );
  const positionText = useCallback(
    (id: NodeId) => {
      const place = findNode(editor.store.getState().document, id);
      if (place === undefined) return '';
      return t('said.moved', {
        name: nameOf(id),
        section: number(place.sectionAt + 1),
        at: number(place.kind === 'block' ? place.at + 1 : place.sectionAt + 1),
      });
    },
    [editor, t, nameOf, number],
  );
  return { nameOf, positionText };
}
