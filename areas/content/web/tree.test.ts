// Changes of a document: moves, identity of unchanged nodes, preserved content.
import { describe, expect, it } from 'vitest';
import { createBlock, createEmailDocument, createSection } from '../document-factory.ts';
import { findDocumentProblems } from '../document-rules.ts';
import {
  appendBlock,
  changeBlock,
  duplicateNode,
  findFooterIndex,
  moveBlock,
  moveBlockToSection,
  findNode,
  listReadingOrder,
  removeNode,
  setColumns,
  stepNode,
} from './tree.ts';

const text = (id: string) => createBlock('text', { id, html: `<p>${id}</p>` });
const build = () =>
  createEmailDocument([
    createSection([[text('a'), text('b')], [text('c')]], { id: 's1', ratios: [1, 2] }),
    createSection([[text('d')]], { id: 's2' }),
  ]);
const order = (document: ReturnType<typeof build>) =>
  document.sections.map((section) =>
    section.columns.map((column) => column.blocks.map((block) => block.id).join('')).join('|'),
  );

describe('the tree', () => {
  it('moves a block within its column and into another one', () => {
    const document = build();
    const [first, second] = document.sections[0]?.columns ?? [];
    expect(order(moveBlock(document, 'a', first?.id ?? '', 2))).toEqual(['ba|c', 'd']);
    expect(order(moveBlock(document, 'a', second?.id ?? '', 1))).toEqual(['b|ca', 'd']);
    expect(moveBlock(document, 'a', first?.id ?? '', 1)).toBe(document);
  });

  it('appends a block above the footer', () => {
    const footer = createBlock('footer', { id: 'f' });
    const apart = createEmailDocument([createSection([[text('a')]]), createSection([[footer]])]);
    expect(order(appendBlock(apart, text('new')))).toEqual(['a', 'new', 'f']);
    expect(findFooterIndex(apart)).toBe(1);
    const together = createEmailDocument([createSection([[text('a'), footer, text('b')]])]);
    expect(order(appendBlock(together, text('new')))).toEqual(['anewfb']);
    // A footer in an earlier section is not treated as the email's end.
    const middle = createEmailDocument([createSection([[footer]]), createSection([[text('a')]])]);
    expect(order(appendBlock(middle, text('new')))).toEqual(['f', 'a', 'new']);
    expect(order(appendBlock(createEmailDocument([]), text('new')))).toEqual(['new']);
  });

  it('moves a node step by step past the ends of columns and sections, up to the ends of the email', () => {
    let document = build();
    const path: string[] = [];
    for (let i = 0; i < 5; i++) {
      document = stepNode(document, 'a', 1);
      path.push(order(document).join(' '));
    }
    expect(path).toEqual(['ba|c d', 'b|ac d', 'b|ca d', 'b|c ad', 'b|c da']);
    expect(stepNode(document, 'a', 1)).toBe(document);
    expect(order(stepNode(build(), 's1', 1))).toEqual(['d', 'ab|c']);
    expect(order(stepNode(build(), 's1', -1))).toEqual(['ab|c', 'd']);
  });

  it('gives copies new ids', () => {
    const copy = duplicateNode(build(), 's1');
    expect(order(copy.document)).toHaveLength(3);
    expect(findDocumentProblems(copy.document)).toEqual([]);
    expect(findNode(copy.document, copy.id)?.kind).toBe('section');
    const block = duplicateNode(build(), 'a');
    expect(listReadingOrder(block.document)[2]).toBe(block.id);
  });

  it('keeps the identity of unchanged nodes', () => {
    const document = build();
    const changedDocument = changeBlock(document, 'a', (block) => ({
      ...block,
      hide_on: 'mobile',
    }));
    expect(changedDocument.sections[1]).toBe(document.sections[1]);
    expect(changedDocument.sections[0]?.columns[1]).toBe(document.sections[0]?.columns[1]);
    expect(changedDocument.sections[0]?.columns[0]?.blocks[1]).toBe(
      document.sections[0]?.columns[0]?.blocks[1],
    );
    expect(changeBlock(document, 'unknown', (block) => block)).toBe(document);
  });

  it('keeps all blocks when columns are removed or a block becomes a section', () => {
    const document = build();
    const [section] = document.sections;
    if (!section) throw new Error('no section');
    expect(setColumns(section, [1]).columns[0]?.blocks.map((block) => block.id)).toEqual([
      'a',
      'b',
      'c',
    ]);
    expect(setColumns(section, [1, 1, 2]).columns).toHaveLength(3);
    expect(order(moveBlockToSection(document, 'a', 2))).toEqual(['b|c', 'd', 'a']);
    expect(order(removeNode(document, 'c'))).toEqual(['ab|', 'd']);
  });
});
