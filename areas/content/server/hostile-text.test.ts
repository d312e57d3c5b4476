// Texts on which a naive search would restart at every character are processed in linear time.
import { expect, test } from 'vitest';
import { prepared } from '../web/preview/prepared.ts';
import { decodePage } from './html-import/decode-page.ts';
import { referencesIn, replaceSheetUrls } from './html-import/references.ts';
import { foreignTags } from './html/foreign-tags.ts';
import { inlineSheets } from './html/inline-stylesheets.ts';
import { parseTemplate } from './personalization/merge-tags.ts';
import { plainItems } from './rich-text.ts';
import { compileSms } from './mime/sms-message.ts';
import { parseFaces } from './brand/web-fonts.ts';
import { pageColor } from './website/page-color.ts';
import { pageFacts } from './website/page-facts.ts';

const SIZE = 1_000_000;
/** A quadratic algorithm takes minutes for this size; a linear one takes tens of milliseconds. */
const MAX_MS = 2_000;
const flood = (part: string) => part.repeat(Math.ceil(SIZE / part.length));

test.each<[string, () => unknown]>([
  ['CSS url( with blanks', () => replaceSheetUrls(`url(${flood(' ')}`, () => undefined)],
  ['repeated CSS url(', () => replaceSheetUrls(flood('url('), () => undefined)],
  ['CSS url( with an open quote', () => replaceSheetUrls(flood('url("'), () => undefined)],
  ['an image address of blanks', () => referencesIn(`<img src="a${flood(' ')}b">`)],
  ['custom properties of hyphens', () => pageColor('', flood('-'))],
  ['selectors of buttons without a rule', () => pageColor('', flood('button '))],
  ['buttons with open rules', () => pageColor('', flood('btn{'))],
  ['colors of blanks', () => pageColor('', flood('rgb(1  '))],
  [
    'a website title of blanks',
    () => pageFacts(`<title>a${flood(' ')}b</title>`, 'https://a.example'),
  ],
  [
    'a website title of braces',
    () => pageFacts(`<title>${flood('{{')}</title>`, 'https://a.example'),
  ],
  ['list items with open paragraphs', () => plainItems(flood('<li><p'))],
  ['list items with other elements', () => plainItems(flood('<li><pi>'))],
  ['open style elements', () => inlineSheets(flood('<style '))],
  ['placeholders of stylesheets', () => inlineSheets('').restore(flood('/*\ufdd70*/'))],
  ['open font faces', () => parseFaces(flood('@font-face{'))],
  ['font files', () => parseFaces(`@font-face{${flood('url(.')}}`)],
  ['open merge tags', () => parseTemplate(flood('{{ a '), true)],
  ['tags of other products', () => foreignTags({ text: `{{ first_name${flood(' ')}` } as never)],
  ['links of an SMS', () => compileSms({ text: flood('http://{{a') } as never)],
  ['declared character sets', () => decodePage(Buffer.from(flood('<meta\xff'), 'latin1'))],
  ['a preview of open images', () => prepared(flood('<img '), false, false)],
  ['a preview of open imports', () => prepared(flood('@import url(fonts.'))],
  ['a preview of open heads', () => prepared(flood('<head '))],
])('linear time suffices for %s', (_, read) => {
  const start = performance.now();
  read();
  expect(performance.now() - start).toBeLessThan(MAX_MS);
});
