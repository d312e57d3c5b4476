// Changes of a document as pure functions: unchanged nodes keep their identity, so that only
// changed ones render again. An invalid change returns a document with the same content.
import type { Block, SectionColumn, EmailDocument, NodeId, Section } from '../document.ts';
import { copyBlock, copySection, createColumn, createSection } from '../document-factory.ts';

export type BlockLocation = {
  kind: 'block';
  block: Block;
  column: SectionColumn;
  section: Section;
  /**
   * Indexes of the block in its column, of the column in its section, and of the section in the
   * document.
   */
  blockIndex: number;
  columnIndex: number;
  sectionIndex: number;
};
type SectionLocation = { kind: 'section'; section: Section; sectionIndex: number };
export type NodeLocation = BlockLocation | SectionLocation;

/** Finds the position of a block or section, or undefined if it does not exist. */
export function findNode(document: EmailDocument, id: NodeId | null): NodeLocation | undefined {
  if (id === null) return undefined;
  for (const [sectionIndex, section] of document.sections.entries()) {
    if (section.id === id) return { kind: 'section', section, sectionIndex };
    for (const [columnIndex, column] of section.columns.entries()) {
      const blockIndex = column.blocks.findIndex((block) => block.id === id);
      const block = column.blocks[blockIndex];
      if (block)
        return {
          kind: 'block',
          block,
          column,
          section,
          blockIndex,
          columnIndex,
          sectionIndex,
        };
    }
  }
  return undefined;
}

const replaceSections = (document: EmailDocument, sections: Section[]): EmailDocument => ({
  ...document,
  sections,
});

export function changeSection(
  document: EmailDocument,
  id: NodeId,
  change: (section: Section) => Section,
): EmailDocument {
  return replaceSections(
    document,
    document.sections.map((section) => (section.id === id ? change(section) : section)),
  );
}

export function changeColumn(
  document: EmailDocument,
  id: NodeId,
  change: (column: SectionColumn) => SectionColumn,
): EmailDocument {
  const owner = document.sections.find(({ columns }) => columns.some((column) => column.id === id));
  if (!owner) return document;
  return changeSection(document, owner.id, (section) => ({
    ...section,
    columns: section.columns.map((column) => (column.id === id ? change(column) : column)),
  }));
}

export function changeBlock(
  document: EmailDocument,
  id: NodeId,
  change: (block: Block) => Block,
): EmailDocument {
  const location = findNode(document, id);
  if (location?.kind !== 'block') return document;
  return changeColumn(document, location.column.id, (column) => ({
    ...column,
    blocks: column.blocks.map((block) => (block.id === id ? change(block) : block)),
  }));
}

/**
 * Returns the index of the last section if it contains the footer, otherwise the index after the
 * last section.
 */
export function findFooterIndex({ sections }: EmailDocument): number {
  const isFooter = sections.at(-1)?.columns.some(hasFooter);
  return isFooter ? sections.length - 1 : sections.length;
}

const hasFooter = ({ blocks }: SectionColumn) => blocks.some(({ type }) => type === 'footer');

/**
 * Inserts a block at the end of the email or, if the last section has a footer, above the footer.
 * If the footer is the first block of its column, the block gets a new section above the last one;
 * if not, it is inserted directly above the footer.
 */
export function appendBlock(document: EmailDocument, block: Block): EmailDocument {
  const footerIndex = findFooterIndex(document);
  const column = document.sections[footerIndex]?.columns.find(hasFooter);
  const above = column?.blocks.findIndex(({ type }) => type === 'footer') ?? 0;
  return column && above > 0
    ? insertBlock(document, column.id, above, block)
    : insertSection(document, footerIndex, createSection([[block]]));
}

/** Inserts a block into a column before `index`. */
export function insertBlock(
  document: EmailDocument,
  columnId: NodeId,
  index: number,
  block: Block,
): EmailDocument {
  return changeColumn(document, columnId, (column) => ({
    ...column,
    blocks: column.blocks.toSpliced(index, 0, block),
  }));
}

export function insertSection(
  document: EmailDocument,
  index: number,
  section: Section,
): EmailDocument {
  return replaceSections(document, document.sections.toSpliced(index, 0, section));
}

export function removeNode(document: EmailDocument, id: NodeId): EmailDocument {
  const location = findNode(document, id);
  if (location === undefined) return document;
  if (location.kind === 'section') {
    return replaceSections(document, document.sections.toSpliced(location.sectionIndex, 1));
  }
  return changeColumn(document, location.column.id, (column) => ({
    ...column,
    blocks: column.blocks.toSpliced(location.blockIndex, 1),
  }));
}

/** Moves a block; `index` refers to the indexes before the move. */
export function moveBlock(
  document: EmailDocument,
  id: NodeId,
  columnId: NodeId,
  index: number,
): EmailDocument {
  const location = findNode(document, id);
  if (location?.kind !== 'block') return document;
  const isSame = location.column.id === columnId;
  const target = isSame && index > location.blockIndex ? index - 1 : index;
  if (isSame && target === location.blockIndex) return document;
  return insertBlock(removeNode(document, id), columnId, target, location.block);
}

/** Moves a block into a new section at this index. */
export function moveBlockToSection(
  document: EmailDocument,
  id: NodeId,
  index: number,
): EmailDocument {
  const location = findNode(document, id);
  if (location?.kind !== 'block') return document;
  return insertSection(removeNode(document, id), index, createSection([[location.block]]));
}

export function moveSection(document: EmailDocument, id: NodeId, index: number): EmailDocument {
  const location = findNode(document, id);
  if (location?.kind !== 'section') return document;
  const target = index > location.sectionIndex ? index - 1 : index;
  if (target === location.sectionIndex) return document;
  return insertSection(removeNode(document, id), target, location.section);
}

/** Moves one step up or down: among siblings, then into the next column or section. */
export function stepNode(document: EmailDocument, id: NodeId, offset: -1 | 1): EmailDocument {
  const location = findNode(document, id);
  if (location === undefined) return document;
  if (location.kind === 'section') {
    const target = location.sectionIndex + offset;
    if (target < 0 || target >= document.sections.length) return document;
    return moveSection(document, id, offset === 1 ? target + 1 : target);
  }
  const target = location.blockIndex + offset;
  if (target >= 0 && target < location.column.blocks.length) {
    return moveBlock(document, id, location.column.id, offset === 1 ? target + 1 : target);
  }
  const columns = document.sections.flatMap((section) => section.columns);
  const next = columns[columns.findIndex((column) => column.id === location.column.id) + offset];
  return next ? moveBlock(document, id, next.id, offset === 1 ? 0 : next.blocks.length) : document;
}

/** Inserts a copy right after the node. Also returns the copy's id. */
export function duplicateNode(
  document: EmailDocument,
  id: NodeId,
): { document: EmailDocument; id: NodeId } {
  const location = findNode(document, id);
  if (location === undefined) return { document, id };
  if (location.kind === 'section') {
    const copy = copySection(location.section);
    return { document: insertSection(document, location.sectionIndex + 1, copy), id: copy.id };
  }
  const copy = copyBlock(location.block);
  return {
    document: insertBlock(document, location.column.id, location.blockIndex + 1, copy),
    id: copy.id,
  };
}

/** Sets one column per ratio; blocks of removed columns move into the last remaining one. */
export function setColumns(section: Section, ratios: readonly number[]): Section {
  const columns = ratios.map((ratio, at) => ({
    ...(section.columns[at] ?? createColumn()),
    ratio,
  }));
  const movedBlocks = section.columns.slice(ratios.length).flatMap((column) => column.blocks);
  const lastColumn = columns.at(-1);
  if (lastColumn && movedBlocks.length > 0) {
    columns[columns.length - 1] = { ...lastColumn, blocks: [...lastColumn.blocks, ...movedBlocks] };
  }
  return { ...section, columns };
}

/** Returns ids in reading order, as used by the arrow keys; each section precedes its blocks. */
export function listReadingOrder(document: EmailDocument): NodeId[] {
  return document.sections.flatMap((section) => [
    section.id,
    ...section.columns.flatMap((column) => column.blocks.map((block) => block.id)),
  ]);
}

/**
 * Replaces a string everywhere: in text, labels, URLs. Values that do not contain the text keep
 * their identity.
 */
export function replaceText<Value>(value: Value, search: string, replacement: string): Value {
  if (typeof value === 'string') return value.replaceAll(search, () => replacement) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, part]) => [
    key,
    replaceText(part, search, replacement),
  ]);
  if (entries.every(([key, part]) => part === value[key as keyof Value])) return value;
  return (
    Array.isArray(value) ? entries.map(([, part]) => part) : Object.fromEntries(entries)
  ) as Value;
}
