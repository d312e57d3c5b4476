// @vitest-environment jsdom
// Text extracted from an email for a model, and the insertion of the model's responses.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBlock, createEmailDocument, createSection } from '../../document-factory.ts';
import type { Block, EmailDocument } from '../../document.ts';
import {
  applyTexts,
  type EmailText,
  prepareTexts,
  listTexts,
  toVisibleText,
} from './email-texts.ts';

const rich = (value: string): EmailText => ({ node: 'b', path: ['html'], kind: 'rich', value });
const roundTrip = (value: string, change = (text: string) => text) => {
  const { texts, combineReplies } = prepareTexts([rich(value)]);
  return { texts, next: combineReplies(texts.map(change))[0]?.next };
};

test('rich text is sent as one string per paragraph, with markers for its formatting', () => {
  const html =
    '<p>Hi <strong>{{firstname | default: "you"}}</strong>,</p><ul><li><p>See <a href="{{shop}}">our <em>tea</em></a></p></li><li>New<br>here</li></ul><p> </p>';
  expect(roundTrip(html).texts).toEqual([
    'Hi [[1]]{{firstname | default: "you"}}[[/1]],',
    'See [[1]]our [[2]]tea[[/2]][[/1]]',
    'New\nhere',
  ]);
  expect(roundTrip(html).next).toBe(html);
  const dictionary: Record<string, string> = {
    Hi: 'Hei',
    See: 'Se',
    our: 'vår',
    tea: 'te',
    New: 'Nytt',
  };
  const { next } = roundTrip(html, (text) =>
    text.replace(/\b\w+\b/g, (word) => dictionary[word] ?? word),
  );
  expect(next).toBe(
    '<p>Hei <strong>{{firstname | default: "you"}}</strong>,</p><ul><li><p>Se <a href="{{shop}}">vår <em>te</em></a></p></li><li>Nytt<br>here</li></ul><p> </p>',
  );
  expect(toVisibleText(rich(html))).toBe(
    'Hi {{firstname | default: "you"}},\nSee our tea\nNew\nhere',
  );
});

test('markup and unknown markers in a response become text, and misplaced markers are dropped', () => {
  const roundTripText = (text: string) => roundTrip('<p>A <em>b</em></p>', () => text).next;
  expect(roundTripText('<img src=x onerror=alert(1)> [[1]]b[[/1]]')).toBe(
    '<p>&lt;img src=x onerror=alert(1)&gt; <em>b</em></p>',
  );
  expect(roundTripText('[[/1]]A[[1]]b')).toBe('<p>A<em>b</em></p>');
  expect(roundTripText('A [[7]]b[[/7]]')).toBe('<p>A [[7]]b[[/7]]</p>');
});

test('a response identical to its request does not change any text', () => {
  const leaf = fc.constantFrom(
    'tea',
    '&amp; more',
    '{{firstname}}',
    '{{a | default: "x &lt; y"}}',
    ' ',
  );
  const inline = fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc
        .tuple(fc.constantFrom('strong', 'em', 'u'), fc.array(tie('node'), { maxLength: 3 }))
        .map(([name, inner]) => `<${name}>${inner.join('')}</${name}>`),
    ),
  })).node;
  const line = fc.array(inline, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));
  const html = fc
    .array(line, { maxLength: 4 })
    .map((lines) => lines.map((l) => `<p>${l}</p>`).join(''));
  fc.assert(
    fc.property(html, (value) => {
      expect(roundTrip(value).next).toBe(value);
    }),
    { numRuns: 60 },
  );
});

const blocks: Block[] = [
  createBlock('heading', { id: 'h', html: 'Spring' }),
  createBlock('button', { id: 'b', label: 'Buy', href: 'https://tea.example' }),
  createBlock('menu', { id: 'm', items: [{ label: 'Tea', href: '' }] }),
  createBlock('table', { id: 't', rows: [['Price', '']] }),
  createBlock('image', { id: 'i', image: { src: 'x', alt: 'A cup', width: 1, height: 1 } }),
  createBlock('html', { id: 'x', html: '<p>Own</p>' }),
  createBlock('product', { id: 'p', name: 'Sencha', price: '9', label: '', html: '' }),
];
const email = (): EmailDocument =>
  createEmailDocument([createSection([blocks])], { preheader: 'Hello' });

test("an email's text consists of its preview text and the nonempty text of its blocks", () => {
  const texts = listTexts(email(), null).map(({ node, path, value }) => [
    node,
    path.join('.'),
    value,
  ]);
  expect(texts).toEqual([
    [null, '', 'Hello'],
    ['h', 'html', 'Spring'],
    ['b', 'label', 'Buy'],
    ['m', 'items.0.label', 'Tea'],
    ['t', 'rows.0.0', 'Price'],
    ['i', 'image.alt', 'A cup'],
    ['x', 'Own', 'Own'],
    ['p', 'name', 'Sencha'],
  ]);
  expect(listTexts(email(), 'b')).toHaveLength(1);
  expect(listTexts(email(), 'unknown')).toEqual([]);
});

test('suggestions replace the original text unless it was edited since the request', () => {
  const original = email();
  const { combineReplies } = prepareTexts(listTexts(original, null));
  const changes = combineReplies([
    'Hei',
    'Vår',
    'Kjøp\nnå',
    'Te',
    'Pris',
    'En kopp',
    'Eget',
    'Sencha',
  ]);
  const translated = applyTexts(original, changes);
  expect(listTexts(translated, null).map(({ value }) => value)).toEqual([
    ...['Hei', 'Vår', 'Kjøp nå', 'Te', 'Pris', 'En kopp', 'Eget', 'Sencha'],
  ]);
  expect(translated.sections[0]?.columns[0]?.blocks[5]).toEqual({
    ...blocks[5],
    html: '<p>Eget</p>',
  });
  const editedDocument = { ...original, settings: { ...original.settings, preheader: 'Edited' } };
  expect(applyTexts(editedDocument, changes).settings.preheader).toBe('Edited');
  expect(applyTexts(createEmailDocument(), changes.slice(1))).toEqual(createEmailDocument());
});

test('plain text keeps its blank lines', () => {
  const text: EmailText = { node: null, path: [], kind: 'plain', value: 'Hi\nthere\n\n\nBye\n' };
  const { texts, combineReplies } = prepareTexts([text]);
  expect(texts).toEqual(['Hi\nthere', 'Bye\n']);
  expect(combineReplies(['Hei', 'Ha det\n'])[0]?.next).toBe('Hei\n\n\nHa det\n');
});

test('a suggestion for a custom HTML block is ignored if it adds a merge tag or the block was edited', () => {
  const html = '<td class="x"><b>Tea</b> today <img alt="Cup"></td><td>Tea</td>';
  const original = createEmailDocument([
    createSection([[createBlock('html', { id: 'own', html })]]),
  ]);
  const { texts, combineReplies } = prepareTexts(listTexts(original, 'own'));
  expect(texts).toEqual(['Cup', '[[1]]Tea[[/1]] today', 'Tea']);
  const changes = combineReplies(['Kopp', 'I dag [[1]]te[[/1]]', 'Te {{email}}']);
  const blockOf = (document: EmailDocument) => document.sections[0]?.columns[0]?.blocks[0];
  expect(blockOf(applyTexts(original, changes))).toMatchObject({
    html: '<td class="x">I dag <b>te</b> <img alt="Kopp"></td><td>Tea</td>',
  });
  const editedDocument = createEmailDocument([
    createSection([[createBlock('html', { id: 'own', html: '<td>Tea' })]]),
  ]);
  expect(applyTexts(editedDocument, changes)).toEqual(editedDocument);
});
