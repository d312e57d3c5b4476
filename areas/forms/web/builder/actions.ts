// Actions on blocks: add, move, duplicate, remove. All except moves by dragging are announced to
// screen readers.
import { useTexts } from '#platform/web/texts/texts.ts';
import type { FormBlock } from '#embed/forms/shared/document.ts';
import {
  listBlocks,
  insertBlock,
  moveBlock,
  createBlockId,
  removeBlock,
  stepBlock,
} from './draft.ts';
import { useMakeBlock } from './kinds.ts';
import { toSide, useBuilder } from './store.ts';

export function useBlockActions() {
  const t = useTexts('forms-builder');
  const builder = useBuilder();
  const make = useMakeBlock();
  const now = () => {
    const state = builder.store.getState();
    const side = toSide(state);
    return { side, blocks: listBlocks(state.document.document, side), state };
  };
  const findName = (id: string) => {
    const block = now().blocks.find((block) => block.id === id);
    return block ? t(`kinds.${block.kind}`) : '';
  };
  const insert = (block: FormBlock, before: string | null) => {
    const { side } = now();
    builder.editDocument((document) => insertBlock(document, side, block, before));
    builder.select(block.id);
    builder.announce(t('said.added', { name: t(`kinds.${block.kind}`) }));
  };
  return {
    /** @param what a kind of block, or `field:` and the name of a field */
    add: (what: string) => {
      const block = make(what);
      const { blocks, state } = now();
      if (block) insert(block, findDefaultPosition(blocks, state.selectedId));
    },
    drop: (dragged: string, before: string | null) => {
      const id = /^move:(.+)$/.exec(dragged)?.[1];
      const { side } = now();
      if (id) {
        builder.editDocument((document) => moveBlock(document, side, id, before));
        builder.select(id);
        return;
      }
      const block = make(dragged);
      if (block) insert(block, before);
    },
    step: (id: string, by: -1 | 1) => {
      const { side } = now();
      builder.editDocument((document) => stepBlock(document, side, id, by));
      const at = now().blocks.findIndex((block) => block.id === id) + 1;
      builder.announce(t('said.moved', { name: findName(id), at, all: now().blocks.length }));
    },
    double: (id: string) => {
      const { blocks } = now();
      const at = blocks.findIndex((block) => block.id === id);
      const block = blocks[at];
      if (block) insert({ ...block, id: createBlockId() }, blocks[at + 1]?.id ?? null);
    },
    remove: (id: string) => {
      const { side, blocks } = now();
      const at = blocks.findIndex((block) => block.id === id);
      const name = findName(id);
      builder.editDocument((document) => removeBlock(document, side, id));
      builder.select(blocks[at + 1]?.id ?? blocks[at - 1]?.id ?? null);
      builder.announce(t('said.removed', { name }));
    },
  };
}

/**
 * Returns the block that a new block is inserted before, or null for the end: the block after the
 * selected one, otherwise the button, which ends most forms.
 */
function findDefaultPosition(
  blocks: readonly FormBlock[],
  selectedId: string | null,
): string | null {
  const selectedIndex = blocks.findIndex((block) => block.id === selectedId);
  if (selectedIndex >= 0) return blocks[selectedIndex + 1]?.id ?? null;
  return blocks.find((block) => block.kind === 'button')?.id ?? null;
}
