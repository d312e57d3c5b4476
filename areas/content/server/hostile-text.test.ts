// Input that makes a careless regular expression quadratic is processed in linear time.
import { expect, test } from 'vitest';
import { preparePage } from '../web/preview/prepared.ts';
import { decodePage } from './html-import/decode-page.ts';
import { listReferences, replaceSheetUrls } from './html-import/references.ts';
import { findForeignTags, convertTags } from './html/foreign-tags.ts';
import { inlineSheets } from './html/inline-stylesheets.ts';
import { parseTemplate } from './personalization/merge-tags.ts';
import { unwrapListItems } from './rich-text.ts';
import { compileSms } from './mime/sms-message.ts';
import { parseFaces } from './brand/web-fonts.ts';
import { findPageColor } from './website/page-color.ts';
import { parsePageProfile } from './website/page-profile.ts';

const SIZE = 1_000_000;
/** A quadratic algorithm takes minutes for input of SIZE; the linear ones here took 1 to 45 ms. */
const MAX_MS = 2_000;
const flood = (part: string) => part.repeat(Math.ceil(SIZE / part.length));

test.each<[string, () => unknown]>([
  ['a CSS url( followed by blanks', () => replaceSheetUrls(`url(${flood(' ')}`, () => undefined)],
  ['repeated CSS url(', () => replaceSheetUrls(flood('url('), () => undefined)],
  ['repeated CSS url( with an open quote', () => replaceSheetUrls(flood('url("'), () => undefined)],
  ['an image address with many blanks', () => listReferences(`<img src="a${flood(' ')}b">`)],
  ['the name of a custom property, of hyphens only', () => findPageColor('', flood('-'))],
  ['button selectors without a rule', () => findPageColor('', flood('button '))],
  ['unclosed rules of buttons', () => findPageColor('', flood('btn{'))],
  ['unfinished colors', () => findPageColor('', flood('rgb(1  '))],
  [
    'a website title with many blanks',
    () => parsePageProfile(`<title>a${flood(' ')}b</title>`, 'https://a.example'),
  ],
  [
    'a website title of braces',
    () => parsePageProfile(`<title>${flood('{{')}</title>`, 'https://a.example'),
  ],
  ['list items with unfinished paragraph tags', () => unwrapListItems(flood('<li><p'))],
  ['list items with other elements', () => unwrapListItems(flood('<li><pi>'))],
  ['unfinished style tags', () => inlineSheets(flood('<style '))],
  ['repeated placeholders of style sheets', () => inlineSheets('').restore(flood('/*\ufdd70*/'))],
  ['unclosed font faces', () => parseFaces(flood('@font-face{'))],
  ['unfinished font URLs', () => parseFaces(`@font-face{${flood('url(.')}}`)],
  ['unclosed merge tags', () => parseTemplate(flood('{{ a '), true)],
  [
    'an unclosed tag of another product',
    () => findForeignTags({ text: `<% name${flood(' ')}` } as never),
  ],
  ['an unclosed tag in an imported file', () => convertTags(`{{ first_name${flood(' ')}`)],
  ['unclosed tags in an imported file', () => convertTags(flood('{% unsubscribe '))],
  [
    'links with unclosed merge tags in an SMS',
    () => compileSms({ text: flood('http://{{a') } as never),
  ],
  [
    'unfinished meta tags without a character set',
    () => decodePage(Buffer.from(flood('<meta\xff'), 'latin1')),
  ],
  ['a preview of unfinished image tags', () => preparePage(flood('<img '), false, false)],
  ['a preview of unfinished imports', () => preparePage(flood('@import url(fonts.'))],
  ['a preview of unfinished head tags', () => preparePage(flood('<head '))],
])('linear time suffices for %s', (_, processText) => {
  const start = performance.now();
  processText();
  expect(performance.now() - start).toBeLessThan(MAX_MS);
});
