// The builder's draft: title, document, settings and groups of a form. It is edited as one value,
// so that every change can be undone.
import type { FormBlock, BlockKind, FormDocument } from '#embed/forms/shared/document.ts';
import type { Form } from '../../contract.ts';
import type { FormSettings } from '../../settings-contract.ts';
import { formatLinks, parseLinks, replaceText } from './linked-text.ts';

export type DraftGroup = { id: string; title: string; isMandatory: boolean };

export type FormDraft = {
  title: string;
  document: FormDocument;
  settings: FormSettings;
  groups: DraftGroup[];
};

/** The location of blocks: a step, by its index, or the success view. */
export type FormSide = number | 'success';

export function toDraft(form: Form): FormDraft {
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

export function listBlocks(document: FormDocument, side: FormSide): readonly FormBlock[] {
  return side === 'success' ? document.success : (document.steps[side]?.blocks ?? []);
}

function replaceBlocks(document: FormDocument, side: FormSide, blocks: FormBlock[]): FormDocument {
  if (side === 'success') return { ...document, success: blocks };
  return {
    ...document,
    steps: document.steps.map((step, i) => (i === side ? { ...step, blocks } : step)),
  };
}

/** @param before the block to insert before; null: at the end */
export function insertBlock(
  document: FormDocument,
  side: FormSide,
  block: FormBlock,
  before: string | null,
): FormDocument {
  const blocks = [...listBlocks(document, side)];
  const index = blocks.findIndex(({ id }) => id === before);
  blocks.splice(index < 0 ? blocks.length : index, 0, block);
  return replaceBlocks(document, side, blocks);
}

export function moveBlock(
  document: FormDocument,
  side: FormSide,
  id: string,
  before: string | null,
): FormDocument {
  const block = listBlocks(document, side).find((block) => block.id === id);
  if (!block || before === id) return document;
  const movedDocument = insertBlock(removeBlock(document, side, id), side, block, before);
  const isSame = listBlocks(movedDocument, side).every(
    (block, i) => block === listBlocks(document, side)[i],
  );
  return isSame ? document : movedDocument;
}

/**
 * Moves a block up (-1) or down (1); the document is unchanged if the block is at that end
 * already.
 */
export function stepBlock(
  document: FormDocument,
  side: FormSide,
  id: string,
  by: -1 | 1,
): FormDocument {
  const blocks = listBlocks(document, side);
  const index = blocks.findIndex((block) => block.id === id);
  const target = index + by;
  if (index < 0 || target < 0 || target >= blocks.length) return document;
  const next = by === -1 ? blocks[target] : blocks[target + 1];
  return moveBlock(document, side, id, next?.id ?? null);
}

export function removeBlock(document: FormDocument, side: FormSide, id: string): FormDocument {
  return replaceBlocks(
    document,
    side,
    listBlocks(document, side).filter((block) => block.id !== id),
  );
}

export function changeBlock(
  document: FormDocument,
  side: FormSide,
  id: string,
  change: (block: FormBlock) => FormBlock,
): FormDocument {
  return replaceBlocks(
    document,
    side,
    listBlocks(document, side).map((block) => (block.id === id ? change(block) : block)),
  );
}

export const createBlockId = (): string => crypto.randomUUID().slice(0, 8);

/** Returns the text of a block that can be edited in the form itself. */
export function readBlockText(block: FormBlock): string | undefined {
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
export function setBlockText(block: FormBlock, text: string): FormBlock {
  if (block.kind === 'field' || block.kind === 'interests') return { ...block, label: text };
  if (block.kind === 'button' || block.kind === 'decline') {
    return text.trim() === '' ? block : { ...block, text };
  }
  return 'text' in block ? { ...block, text } : block;
}

/** Kinds whose text may have links. */
export const hasLinks = (kind: BlockKind) =>
  kind === 'heading' || kind === 'text' || kind === 'consent';

/** Returns the text as its author edits it, without the addresses of its links. */
export function readPlainText(block: FormBlock): string | undefined {
  const source = readBlockText(block);
  return source !== undefined && hasLinks(block.kind) ? parseLinks(source).text : source;
}

/** Links stay on their parts of the text. */
export function setPlainText(block: FormBlock, text: string): FormBlock {
  if (!hasLinks(block.kind)) return setBlockText(block, text);
  const linkedText = parseLinks(readBlockText(block) ?? '');
  return setBlockText(block, formatLinks(replaceText(linkedText, text)));
}

/** Returns whether the text of this kind of block may have several lines. */
export const hasLines = (kind: BlockKind) => kind === 'text' || kind === 'consent';

/** Lists all fields of the form, across its steps. */
export function listFieldBlocks(document: FormDocument): Extract<FormBlock, { kind: 'field' }>[] {
  return document.steps.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.kind === 'field' ? [block] : [])),
  );
}
