// Likely mistakes in an email: merge tags of other products, example links, foreign unsubscribe
// links, placeholder text, invalid filters, obscured URLs.
import { describe, expect, it } from 'vitest';
import { createBlock, createEmailDocument, createSection } from '../../document-factory.ts';
import { checkContent } from './check-content.ts';
import { decodeEntities } from '../html/character-references.ts';
import type { MessageSource } from '../personalization/message-source.ts';
import { sampleSource } from '../sample-source.ts';
import { TEMPLATES } from '../templates/all.ts';
import { templateTexts } from '../templates/template-texts.ts';

const check = (changes: Partial<MessageSource>, code: string, fields: string[] = []) =>
  checkContent(sampleSource(changes), fields).filter((finding) => finding.code === code);

describe('merge tags of other products', () => {
  it.each([
    ['*|FNAME|*', '{{firstname | default: ""}}'],
    ['*|MC:SUBJECT|*', '{{subject}}'],
    ['*|UNSUB|*', '{{unsubscribe_link}}'],
    ['%%FIRST_NAME%%', '{{firstname | default: ""}}'],
    ['%%emailaddr%%', '{{email}}'],
    ['[[name]]', '{{firstname | default: ""}}'],
    ['<%= contact.lastName %>', '{{lastname | default: ""}}'],
    ['${city}', '{{city | default: ""}}'],
    ['*|LIST:ADDRESS|*', '{{postal_address}}'],
    ['[[ nobody knows ]]', undefined],
    ['*|MMERGE7|*', undefined],
  ])('%s has the replacement %s', (tag, becomes) => {
    const [one, ...more] = check({ html: `<p>Hi ${tag}, ${tag}</p>` }, 'tag_foreign', ['city']);
    expect(more).toEqual([]);
    if (tag.startsWith('[[ ')) expect(one).toBeUndefined();
    else expect(one).toMatchObject({ severity: 'warning', part: 'html', line: 1, column: 7 });
    expect(one?.values?.becomes).toBe(becomes);
  });

  it('merge tags of other products are found everywhere except in scripts, styles and comments', () => {
    expect(check({ subject: 'Hi *|FNAME|*', text: 'Hi %%NAME%%' }, 'tag_foreign')).toHaveLength(2);
    const html = '<style>a{b:"${x}"}</style><!-- *|FNAME|* --><p>100 %% $ {x} [[1]] 50%%</p>';
    expect(check({ html }, 'tag_foreign')).toEqual([]);
    const manyTags = Array.from({ length: 900 }, (_, n) => `[[tag ${n}]]`).join('');
    expect(check({ html: manyTags }, 'tag_foreign').length).toBeLessThan(60);
  });
});

describe('links', () => {
  const codes = (href: string, label = 'x') =>
    checkContent(sampleSource({ html: `<a href="${href}">${label}</a>` }))
      .map(({ code }) => code)
      .filter((code) => /^(?:link_|placeholder_link|unsubscribe_foreign)/.test(code));

  it.each([
    ['https://example.com/', 'placeholder_link'],
    ['http://www.yourwebsite.com/sale', 'placeholder_link'],
    ['https://facebook.com/', 'placeholder_link'],
    ['https://other.tea.example/unsubscribe?u=1', 'unsubscribe_foreign'],
    ['javascript&colon;alert(1)', 'link_dangerous'],
    ['java&Tab;script&NewLine;:alert(1)', 'link_dangerous'],
    ['&#1;javascript:alert(1)', 'link_dangerous'],
  ])('%s has the finding %s', (href, code) => {
    expect(codes(href)).toEqual([code]);
  });

  it('links with a plausible target have no findings, unless a label promises to unsubscribe', () => {
    expect(codes('https://facebook.com/nordictea')).toEqual([]);
    expect(codes('https://examples.com/')).toEqual([]);
    expect(codes('{{unsubscribe_link}}', 'Unsubscribe')).toEqual([]);
    expect(codes('https://t.example/', 'Avmeld deg')).toEqual(['unsubscribe_foreign']);
  });

  it('link targets are decoded as browsers decode attributes', () => {
    expect(decodeEntities('?a=1&amp;b=2&copy=3&nbsp;&eacute;&colon;')).toBe(
      '?a=1&b=2&copy=3\u00a0é:',
    );
  });
});

it.each([
  ['{{ firstname | truncate: "x" }}', true],
  ['{{ firstname | truncate: 0 }}', true],
  ['{{ points | round: "two" }}', true],
  ['{{ points | round: 99 }}', true],
  ['{{ firstname | truncate: 5, "…" }}', false],
  ['{{ points | round }} {{ points | round: "2" }}', false],
])('the filter of %s has invalid arguments: %s', (tag, isWrong) => {
  const findings = check({ html: `<p>${tag}</p>` }, 'tag_filter_arguments', ['points']);
  expect(findings.map(({ severity }) => severity)).toEqual(isWrong ? ['error'] : []);
});

describe('placeholder text', () => {
  const sourceOf = (html: string) => sampleSource({ html: `<p>${html}</p>` });

  it('the placeholder text of a template has one finding, at its first occurrence', () => {
    for (const language of ['eng', 'fas'] as const) {
      const template = TEMPLATES.find(({ id }) => id === 'welcome') ?? TEMPLATES[0];
      const document = template?.create(templateTexts(language)) ?? createEmailDocument([]);
      const [one, ...more] = checkContent(sourceOf('x'), [], document).filter(
        ({ code }) => code === 'placeholder_text',
      );
      expect(more).toEqual([]);
      expect(Number(one?.values?.count)).toBeGreaterThan(1);
      expect(one?.node).toBeDefined();
    }
  });

  it("placeholder text of new blocks is found, but not the author's own text", () => {
    const codes = (html: string) =>
      checkContent(
        sourceOf('x'),
        [],
        createEmailDocument([createSection([[createBlock('text', { html })]])]),
      )
        .map(({ code }) => code)
        .filter((code) => code === 'placeholder_text');
    const ownText = 'Write what people should know. Short sentences are read, long ones are not.';
    expect(codes(`<p>${ownText}</p>`)).toEqual(['placeholder_text']);
    expect(codes('<p>We have moved to a larger shop, and the kettle is on.</p>')).toEqual([]);
  });
});
