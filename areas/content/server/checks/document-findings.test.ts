// Text and custom HTML of blocks are checked like all content, and findings name the block.
import { expect, test } from 'vitest';
import { createBlock, createEmailDocument, createSection } from '../../document-factory.ts';
import { listDocumentFindings } from './document-findings.ts';

const checkBlock = (type: 'html' | 'text', html: string) =>
  listDocumentFindings(
    createEmailDocument([createSection([[createBlock(type, { id: 'own', html })]])]),
  ).map(({ code, node, values }) => [code, node, values]);

test.each([
  ['empty links', '<p><a href="#">x</a> <a href="">y</a></p>', 'link_empty', {}],
  [
    'images without alternative texts',
    '<img src="a"><img src="b">',
    'image_without_alt',
    { count: 2 },
  ],
])('custom HTML with %s has one finding that names the block', (_, html, code, values) => {
  expect(checkBlock('html', html)).toEqual([[code, 'own', values]]);
});

test('a text block with an empty link has a finding, and a correct HTML block has none', () => {
  expect(checkBlock('text', '<p><a href=" # ">x</a></p>')).toEqual([['link_empty', 'own', {}]]);
  expect(
    checkBlock(
      'html',
      '<a name="top"></a><a href="#top">x</a><img src="a" alt=""><img src="b" width="1" height="1">',
    ),
  ).toEqual([]);
});
