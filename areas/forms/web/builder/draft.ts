// The builder's draft: title, document, settings and groups of a form. It is edited as one value,
// so that every change can be undone.
import type { Block, BlockKind, FormDocument } from '#embed/forms/shared/document.ts';
import type { Form } from '../../contract.ts';
import type { Settings } from '../../settings-contract.ts';
import { formatLinks, parseLinks, withText } from './linked-text.ts';

export type DraftGroup = { id: string; title: string; isMandatory: boolean };

export type Draft = {
  title: string;
  document: FormDocument;
  settings: Settings;
  groups: DraftGroup[];
};

/** The location of blocks: a step, by its index, or the success view. */
export type Side = number | 'success';

export function draftOf(form: Form): Draft {
  const { id: _, ...settings } = form.settings;
  return {
    title: form.title,
    document: form.document as FormDocument,
    settings,
    groups: form.groups.map((group) => ({
      ...group,
      isMandatory: form.mandatory_tags.includes(group.id),
    })),
  };
}

export function blocksOf(document: FormDocument, side: Side): readonly Block[] {
  return side === 'success' ? document.success : (document.steps[side]?.blocks ?? []);
}

function withBlocks(document: FormDocument, side: Side, blocks: Block[]): FormDocument {
  if (side === 'success') return { ...document, success: blocks };
  return {
    ...document,
    steps: document.steps.map((step, i) => (i === side ? { ...step, blocks } : step)),
  };
}

/** @param before the block to insert before; null: at the end */
export function insertBlock(
  document: FormDocument,
  side: Side,
  block: Block,
  before: string | null,
): FormDocument {
  const blocks = [...blocksOf(document, side)];
  const at = blocks.findIndex(({ id }) => id === before);
  blocks.splice(at < 0 ? blocks.length : at, 0, block);
  return withBlocks(document, side, blocks);
}

export function moveBlock(
  document: FormDocument,
  side: Side,
  id: string,
  before: string | null,
): FormDocument {
  const block = blocksOf(document, side).find((block) => block.id === id);
  if (!block || before === id) return document;
  const moved = insertBlock(removeBlock(document, side, id), side, block, before);
  const isSame = blocksOf(moved, side).every((block, i) => block === blocksOf(document, side)[i]);
  return isSame ? document : moved;
}

/**
 * Moves a block up (-1) or down (1); the document is unchanged if the block is at that end
 * already.
 */
export function stepBlock(
  document: FormDocument,
  side: Side,
  id: string,
  by: -1 | 1,
): FormDocument {
  const blocks = blocksOf(document, side);
  const at = blocks.findIndex((block) => block.id === id);
  const to = at + by;
  if (at < 0 || to < 0 || to >= blocks.length) return document;
  const next = by === -1 ? blocks[to] : blocks[to + 1];
  return moveBlock(document, side, id, next?.id ?? null);
}

export function removeBlock(document: FormDocument, side: Side, id: string): FormDocument {
  return withBlocks(
    document,
    side,
    blocksOf(document, side).filter((block) => block.id !== id),
  );
}

export function changeBlock(
  document: FormDocument,
  side: Side,
  id: string,
  change: (block: Block) => Block,
): FormDocument {
  return withBlocks(
    document,
    side,
    blocksOf(document, side).map((block) => (block.id === id ? change(block) : block)),
  );
}

export const newId = (): string => crypto.randomUUID().slice(0, 8);

/** The text of a block that can be edited in the form itself. */
export function textOfBlock(block: Block): string | undefined {
  switch (block.kind) {
    case 'heading':
    case 'text':
    case 'consent':
    case 'button':
    case 'decline':
    case 'code':
      return block.text;
    case 'field':
    case 'interests':
      return block.label;
    default:
      return undefined;
  }
}

/** Buttons always need a label: an empty text keeps the previous one. */
export function withBlockText(block: Block, text: string): Block {
  if (block.kind === 'field' || block.kind === 'interests') return { ...block, label: text };
  if (block.kind === 'button' || block.kind === 'decline') {
    return text.trim() === '' ? block : { ...block, text };
  }
  return 'text' in block ? { ...block, text } : block;
}

/** Kinds whose text may have links. */
export const hasLinks = (kind: BlockKind) =>
  kind === 'heading' || kind === 'text' || kind === 'consent';

/** The text as its author edits it, without the addresses of its links. */
export function plainTextOf(block: Block): string | undefined {
  const source = textOfBlock(block);
  return source !== undefined && hasLinks(block.kind) ? parseLinks(source).text : source;
}

/** Links stay on their parts of the text. */
export function withPlainText(block: Block, text: string): Block {
  if (!hasLinks(block.kind)) return withBlockText(block, text);
  const linked = parseLinks(textOfBlock(block) ?? '');
  return withBlockText(block, formatLinks(withText(linked, text)));
}

/** Whether the text of this kind of block may have several lines. */
export const hasLines = (kind: BlockKind) => kind === 'text' || kind === 'consent';

/** All fields of the form, over its steps. */
export function fieldsIn(document: FormDocument): Extract<Block, { kind: 'field' }>[] {
  return document.steps.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.kind === 'field' ? [block] : [])),
  );
}
