// Changes of a document as pure functions: unchanged nodes keep their identity, so that only
// changed ones render again. An invalid change returns an identical document.
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
  at: number;
  columnAt: number;
  sectionAt: number;
};
type SectionPlace = { kind: 'section'; section: Section; sectionAt: number };
export type NodeLocation = BlockLocation | SectionPlace;

/** Position of a block or section; undefined if it does not exist. */
export function findNode(document: EmailDocument, id: NodeId | null): NodeLocation | undefined {
  if (id === null) return undefined;
  for (const [sectionAt, section] of document.sections.entries()) {
    if (section.id === id) return { kind: 'section', section, sectionAt };
    for (const [columnAt, column] of section.columns.entries()) {
      const at = column.blocks.findIndex((block) => block.id === id);
      const block = column.blocks[at];
      if (block) return { kind: 'block', block, column, section, at, columnAt, sectionAt };
    }
  }
  return undefined;
}

const withSections = (document: EmailDocument, sections: Section[]): EmailDocument => ({
  ...document,
  sections,
});

export function changeSection(
  document: EmailDocument,
  id: NodeId,
  change: (section: Section) => Section,
): EmailDocument {
  return withSections(
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
  const place = findNode(document, id);
  if (place?.kind !== 'block') return document;
  return changeColumn(document, place.column.id, (column) => ({
    ...column,
    blocks: column.blocks.map((block) => (block.id === id ? change(block) : block)),
  }));
}

/**
 * The index of the last section if it contains the footer, otherwise the index after the last
 * section.
 */
export function findFooterIndex({ sections }: EmailDocument): number {
  const isFooter = sections.at(-1)?.columns.some(hasFooter);
  return isFooter ? sections.length - 1 : sections.length;
}

const hasFooter = ({ blocks }: SectionColumn) => blocks.some(({ type }) => type === 'footer');

/**
 * Inserts a block at the end of the email, or above the footer if the last section has one:
 * directly above it if other blocks precede it in its column, otherwise in a new section.
 */
export function appendBlock(document: EmailDocument, block: Block): EmailDocument {
  const at = findFooterIndex(document);
  const column = document.sections[at]?.columns.find(hasFooter);
  const above = column?.blocks.findIndex(({ type }) => type === 'footer') ?? 0;
  return column && above > 0
    ? insertBlock(document, column.id, above, block)
    : insertSection(document, at, createSection([[block]]));
}

/** Inserts a block into a column before index `at`. */
export function insertBlock(
  document: EmailDocument,
  columnId: NodeId,
  at: number,
  block: Block,
): EmailDocument {
  return changeColumn(document, columnId, (column) => ({
    ...column,
    blocks: column.blocks.toSpliced(at, 0, block),
  }));
}

export function insertSection(
  document: EmailDocument,
  at: number,
  section: Section,
): EmailDocument {
  return withSections(document, document.sections.toSpliced(at, 0, section));
}

export function removeNode(document: EmailDocument, id: NodeId): EmailDocument {
  const place = findNode(document, id);
  if (place === undefined) return document;
  if (place.kind === 'section') {
    return withSections(document, document.sections.toSpliced(place.sectionAt, 1));
  }
  return changeColumn(document, place.column.id, (column) => ({
    ...column,
    blocks: column.blocks.toSpliced(place.at, 1),
  }));
}

/** Moves a block; `at` refers to the indexes before the move. */
export function moveBlock(
  document: EmailDocument,
  id: NodeId,
  columnId: NodeId,
  at: number,
): EmailDocument {
  const place = findNode(document, id);
  if (place?.kind !== 'block') return document;
  const isSame = place.column.id === columnId;
  const target = isSame && at > place.at ? at - 1 : at;
  if (isSame && target === place.at) return document;
  return insertBlock(removeNode(document, id), columnId, target, place.block);
}

/** Moves a block into a new section at this index. */
export function moveBlockToSection(document: EmailDocument, id: NodeId, at: number): EmailDocument {
  const place = findNode(document, id);
  if (place?.kind !== 'block') return document;
  return insertSection(removeNode(document, id), at, createSection([[place.block]]));
}

export function moveSection(document: EmailDocument, id: NodeId, at: number): EmailDocument {
  const place = findNode(document, id);
  if (place?.kind !== 'section') return document;
  const target = at > place.sectionAt ? at - 1 : at;
  if (target === place.sectionAt) return document;
  return insertSection(removeNode(document, id), target, place.section);
}

/** Moves one step up or down: among siblings, then into the next column or section. */
export function stepNode(document: EmailDocument, id: NodeId, by: -1 | 1): EmailDocument {
  const place = findNode(document, id);
  if (place === undefined) return document;
  if (place.kind === 'section') {
    const target = place.sectionAt + by;
    if (target < 0 || target >= document.sections.length) return document;
    return moveSection(document, id, by === 1 ? target + 1 : target);
  }
  const target = place.at + by;
  if (target >= 0 && target < place.column.blocks.length) {
    return moveBlock(document, id, place.column.id, by === 1 ? target + 1 : target);
  }
  const columns = document.sections.flatMap((section) => section.columns);
  const next = columns[columns.findIndex((column) => column.id === place.column.id) + by];
  return next ? moveBlock(document, id, next.id, by === 1 ? 0 : next.blocks.length) : document;
}

/** Inserts a copy right after the node. Also returns the copy's id. */
export function duplicateNode(
  document: EmailDocument,
  id: NodeId,
): { document: EmailDocument; id: NodeId } {
  const place = findNode(document, id);
  if (place === undefined) return { document, id };
  if (place.kind === 'section') {
    const copy = copySection(place.section);
    return { document: insertSection(document, place.sectionAt + 1, copy), id: copy.id };
  }
  const copy = copyBlock(place.block);
  return { document: insertBlock(document, place.column.id, place.at + 1, copy), id: copy.id };
}

/** Sets one column per ratio; blocks of removed columns move into the last remaining one. */
export function setColumns(section: Section, ratios: readonly number[]): Section {
  const columns = ratios.map((ratio, at) => ({
    ...(section.columns[at] ?? createColumn()),
    ratio,
  }));
  const movedBlocks = section.columns.slice(ratios.length).flatMap((column) => column.blocks);
  const last = columns.at(-1);
  if (last && movedBlocks.length > 0) {
    columns[columns.length - 1] = { ...last, blocks: [...last.blocks, ...movedBlocks] };
  }
  return { ...section, columns };
}

/**
 * Returns ids in reading order, each section before its blocks, which is the order of the arrow
 * keys.
 */
export function listReadingOrder(document: EmailDocument): NodeId[] {
  return document.sections.flatMap((section) => [
    section.id,
    ...section.columns.flatMap((column) => column.blocks.map((block) => block.id)),
  ]);
}

/** Replaces text everywhere: in texts, labels, URLs. Values without it keep their identity. */
export function replaceText<Value>(value: Value, search: string, by: string): Value {
  if (typeof value === 'string') return value.replaceAll(search, () => by) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, part]) => [key, replaceText(part, search, by)]);
  if (entries.every(([key, part]) => part === value[key as keyof Value])) return value;
  return (
    Array.isArray(value) ? entries.map(([, part]) => part) : Object.fromEntries(entries)
  ) as Value;
}
