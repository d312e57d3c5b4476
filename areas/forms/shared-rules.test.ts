// Rules shared by the site script, the hosted page and the builder: input never becomes markup,
// script or style; answers are validated alike; URL patterns match; everything shown is readable
// and small.
import { brotliCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultTexts } from './default-texts.ts';
import { createFormDocument } from './layouts.ts';
import { parseEmail } from '#areas/subscribers/server/index.ts';
import { createBrandTheme, THEMES } from './themes.ts';
import { renderPlainForm } from './plain-form.ts';
import { matchesPagePattern } from '#embed/forms/shared/page-patterns.ts';
import { compileForm, textToTrees } from '#embed/forms/shared/compile.ts';
import {
  type FormBlock,
  FIELD_KINDS,
  type FormFieldRule,
  type FormDocument,
  LAYOUTS,
  STYLES,
  TEMPLATE_LANGUAGES,
  type MarkupTree,
  TYPES,
} from '#embed/forms/shared/document.ts';
import { toJson } from '#embed/forms/site/plain-json.ts';
import { fillPlaceholders } from '#embed/forms/shared/fill.ts';
import { chooseReadableColor } from '#embed/forms/shared/readable-color.ts';
import { hasCodeBlock, promisesCode } from './coupon.ts';
import { renderSuccess } from '#embed/forms/shared/success.ts';
import { findFaults } from '#embed/forms/shared/validate.ts';
import { renderWheel } from '#embed/forms/shared/wheel.ts';
import { TEXT_KEYS } from '#embed/forms/shared/text-keys.ts';
import { WORDS } from './validation-messages.ts';

const TAGS =
  /^(div|form|fieldset|legend|label|span|p|h2|a|img|hr|input|select|option|button|output)$/;
const hostile = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom(
    '<script>alert(1)</script>',
    '" onmouseover="alert(1)',
    'javascript:alert(1)',
    '[x](javascript:alert(1))',
    '[x](https://a.example/"onclick=)',
    'red;}*{display:none',
    '</style><script>',
    '#fff;background:url(https://spy.example)',
    '__proto__',
  ),
);

const blocks = fc.array(
  fc.record({
    id: hostile,
    kind: fc.constantFrom(
      ...(['heading', 'text', 'image', 'divider', 'spacer', 'field', 'interests'] as const),
      ...(['consent', 'button', 'decline', 'code'] as const),
    ),
    text: hostile,
    label: hostile,
    placeholder: hostile,
    url: hostile,
    alt: hostile,
    value: hostile,
    field: hostile,
    height: fc.integer(),
    as: fc.constantFrom(...FIELD_KINDS),
    required: fc.boolean(),
    half: fc.boolean(),
    options: fc.array(hostile, { maxLength: 3 }),
  }) as unknown as fc.Arbitrary<FormBlock>,
  { maxLength: 6 },
);

const styles = fc.record(
  Object.fromEntries(Object.keys(STYLES).map((key) => [key, fc.oneof(hostile, fc.integer())])),
) as unknown as fc.Arbitrary<FormDocument['styles']>;

type Visitor = (tag: string, attributes: Record<string, string>) => void;

function visitElements(tree: MarkupTree, visit: Visitor) {
  if (typeof tree === 'string') return;
  const [tag, attributes, ...children] = tree;
  visit(tag, attributes);
  for (const child of children) visitElements(child, visit);
}

test('hostile input renders as known tags, without event handlers, unsafe URLs or added styles', () => {
  fc.assert(
    fc.property(blocks, blocks, styles, hostile, (step, success, ownStyles, url) => {
      const document: FormDocument = {
        ...createFormDocument('picture-start', 'eng', 'https://x.example'),
        steps: [{ id: 'one', blocks: step }],
        success,
        styles: ownStyles,
        picture: { url, alt: url },
      };
      const {
        css,
        steps,
        success: after,
      } = compileForm(document, { type: 'popup', interests: [] });
      for (const tree of [...steps, after]) {
        visitElements(tree, (tag, attributes) => {
          expect(tag).toMatch(TAGS);
          for (const [name, value] of Object.entries(attributes)) {
            expect(name).not.toMatch(/^(on|style$|srcdoc$|formaction$)/i);
            if (name === 'href' || name === 'src')
              expect(value).toMatch(/^https?:\/\/[^\s"'<>]+$/i);
          }
        });
      }
      expect(css).not.toMatch(/url\(|<|expression|@import|javascript/i);
      expect(css.match(/display:none/g)).toHaveLength(2);
    }),
    { numRuns: 300 },
  );
});

test('a label and web URL in link syntax become a link, and other URLs remain text', () => {
  expect(textToTrees('See [terms](https://a.example/t) and [x](javascript:y)')).toEqual([
    'See ',
    ['a', { href: 'https://a.example/t', target: '_blank', rel: 'noopener' }, 'terms'],
    ' and [x](javascript:y)',
  ]);
});

test('every language has all 22 messages, with the same placeholders', () => {
  expect(TEXT_KEYS).toHaveLength(22);
  for (const [language, texts] of Object.entries(WORDS)) {
    for (const key of TEXT_KEYS) {
      expect(texts[key]?.length, `${language} ${key}`).toBeGreaterThan(3);
      const placeholdersOf = (text = '') =>
        [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
      expect(placeholdersOf(texts[key]), `${language} ${key}`).toEqual(
        placeholdersOf(WORDS.eng[key]),
      );
    }
  }
  expect(fillPlaceholders('{max} of {constructor}', { max: 3 })).toBe('3 of {constructor}');
});

test('the SMS consent states how to opt out and that it is not a condition of purchase', () => {
  const sentence = 'Reply STOP to opt out. Consent is not a condition of purchase.';
  const [, second] = createFormDocument('two-steps', 'eng', 'https://mail.example').steps;
  const consent = second?.blocks.find(({ kind }) => kind === 'consent');
  expect(consent).toMatchObject({ as: 'sms', required: false });
  expect(consent).toHaveProperty('text', expect.stringContaining(sentence));
  expect(defaultTexts('eng').sms).toContain(sentence);
});

test('each message is used for an answer, the captcha or a server check', () => {
  const kinds = [...FIELD_KINDS, 'interests', 'consent'] as const;
  const bounds = { min: 1, max: 2, minLength: 3, maxLength: 6, options: ['a'] };
  const answers = ['', '?', '0', '9', 'ab', 'abcd', 'abcdefgh', '+12', `+1${'2'.repeat(20)}`];
  const seenMessages = new Set(['captcha', 'phoneCountry']);
  for (const as of kinds) {
    for (const answer of answers) {
      for (const extraRules of [
        {},
        { min: 1 },
        bounds,
        { ...bounds, options: undefined },
        { pattern: '00' },
      ]) {
        const fieldRule = { key: 'k', as, required: true, ...extraRules } as FormFieldRule;
        const keys = Object.fromEntries(TEXT_KEYS.map((key) => [key, key]));
        const message = findFaults([fieldRule], { k: answer }, keys).k;
        if (message) seenMessages.add(message);
      }
    }
  }
  expect([...seenMessages].toSorted()).toEqual([...TEXT_KEYS].toSorted());
});

const rule = (as: FormFieldRule['as'], extraRules: Partial<FormFieldRule> = {}): FormFieldRule => ({
  ...{ key: 'k', as, required: false },
  ...extraRules,
});

test.each<[FormFieldRule, string | string[], string | undefined]>([
  [rule('text', { required: true }), ' ', WORDS.eng.required],
  [rule('select', { required: true, options: ['a'] }), '', WORDS.eng.select],
  [rule('select', { options: ['a'] }), 'b', WORDS.eng.select],
  [rule('choices', { required: true, options: ['a'] }), [], WORDS.eng.choices],
  [rule('choices', { options: ['a', 'b'] }), ['a', 'b'], undefined],
  [rule('email'), 'ada@shop', WORDS.eng.email],
  [rule('email'), 'ada@@shop.example', WORDS.eng.email],
  [rule('email'), 'ada@shop.example', undefined],
  [rule('email'), 'ada@exa_mple.com', WORDS.eng.email],
  [rule('email'), 'ada@shop.1', WORDS.eng.email],
  [rule('email'), 'Ada <ada@shop.example>', WORDS.eng.email],
  [rule('email'), '\u200bada@münchen.example', undefined],
  [rule('url'), 'shop.example', WORDS.eng.url],
  [rule('url'), 'https://shop.example/a?b', undefined],
  [rule('number'), 'three', WORDS.eng.number],
  [rule('number'), '۱۲,۵', undefined],
  [rule('datetime'), '31.12.2026', WORDS.eng.date],
  [rule('datetime'), '2026-12-31', undefined],
  [rule('datetime'), '2026-02-29', WORDS.eng.date],
  [rule('datetime'), '2028-02-29 23:59', undefined],
  [rule('datetime', { required: true }), '', WORDS.eng.fill],
  [rule('datetime-local'), '2026-12-31', WORDS.eng.datetime],
  [rule('datetime-local'), '2026-02-30 10:00', WORDS.eng.datetime],
  [rule('datetime-local'), '2026-12-31T23:59', undefined],
  [rule('time'), '7:30', WORDS.eng.time],
  [rule('time'), '24:00', WORDS.eng.time],
  [rule('time'), '۲۳:۵۹', undefined],
  [rule('month'), '2026-13', WORDS.eng.month],
  [rule('month'), '2026-12', undefined],
  [rule('color'), 'red', WORDS.eng.colour],
  [rule('color'), '#3B4fe4', undefined],
  [rule('text', { pattern: 'AA-00*' }), 'LT-12', WORDS.eng.format],
  [rule('text', { pattern: 'AA-00*' }), 'L1-123', WORDS.eng.format],
  [rule('text', { pattern: 'AA-00*' }), 'Žé-12x', undefined],
  [rule('number', { min: 18 }), '17,9', 'Please enter a value no less than 18'],
  [rule('number', { max: 0 }), '0.01', 'Please enter a value no more than 0'],
  [rule('number', { min: 18, max: 18 }), '18', undefined],
  [rule('text', { minLength: 3 }), ' ab ', 'Please lengthen this text to at least 3 characters'],
  [rule('text', { minLength: 3 }), '', undefined],
  [rule('phone'), 'call me', WORDS.eng.phone],
  [rule('phone'), '+370 6', WORDS.eng.phoneShort],
  [rule('phone'), '+370 612 345 678 901 234', WORDS.eng.phoneLong],
  [rule('phone'), '+370 (612) 34-567', undefined],
  [
    rule('text'),
    'x'.repeat(10_001),
    'Please shorten this text to no more than 10000 characters. You are currently using 10001 characters',
  ],
])('the rule %o validates %j', (fieldRule, answer, message) => {
  const faults = findFaults([fieldRule], { k: answer }, WORDS.eng);
  expect(faults).toEqual(message === undefined ? {} : { k: message });
});

test('an email address that the browser accepts is accepted by the server', () => {
  const part = fc.string({ unit: fc.constantFrom(...'aZ1.-_+ë😀аß 𝒶。%/:@۱'), maxLength: 12 });
  fc.assert(
    fc.property(
      fc.oneof(
        fc.tuple(part, part),
        fc.emailAddress().map((address) => address.split('@')),
      ),
      ([local, domain]) => {
        for (const email of [`${local}@${domain}`, `${local}@${domain}.com`]) {
          const [fault] = Object.values(findFaults([rule('email')], { k: email }, WORDS.eng));
          if (fault === undefined && email.trim() !== '')
            expect(parseEmail(email), email).toBeTypeOf('object');
        }
      },
    ),
    { numRuns: 2_000 },
  );
});

test.each([
  ['a prefix', 'https://shop.example/tea?x=1', '/tea*'],
  ['several parts', 'https://shop.example/a/b/c', '/a*c'],
])('URL patterns match on pages that replaced `entries` of arrays: %s', (_, address, pattern) => {
  const { entries } = Array.prototype;
  Array.prototype.entries = function of(this: unknown[]) {
    return this as never;
  };
  try {
    expect(matchesPagePattern(pattern, address)).toBe(true);
    expect(matchesPagePattern('/b*', address)).toBe(false);
  } finally {
    Array.prototype.entries = entries;
  }
});

test('JSON is the same even if a page adds toJSON to built-in prototypes', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, text) => {
      const data = { value, text, list: [text, undefined, Number.NaN], gone: undefined };
      expect(JSON.parse(toJson(data) ?? '')).toEqual(JSON.parse(JSON.stringify(data)));
    }),
  );
  const prototypes = [Array.prototype, String.prototype, Object.prototype] as {
    toJSON?: unknown;
  }[];
  for (const prototype of prototypes) prototype.toJSON = () => 'patched';
  try {
    expect(toJson({ a: ['b', 1], at: new Date(0) })).toBe(
      '{"a":["b",1],"at":"1970-01-01T00:00:00.000Z"}',
    );
  } finally {
    for (const prototype of prototypes) delete prototype.toJSON;
  }
});

test('validation never throws or reports an error in another field, whatever the answer', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...FIELD_KINDS),
      fc.oneof(hostile, fc.string({ maxLength: 2_000 }), fc.array(hostile, { maxLength: 5 })),
      (as, answer) => {
        const faults = findFaults([rule(as)], { k: answer }, WORDS.eng);
        expect(Object.keys(faults).every((key) => key === 'k')).toBe(true);
      },
    ),
  );
});

test.each<[pattern: string, address: string, isShown: boolean]>([
  ['/sale', 'https://a.example/sale', true],
  ['/sale', 'https://a.example/sale/', true],
  ['/sale', 'https://a.example/sale?from=mail', true],
  ['/sale?from=mail', 'https://a.example/sale', false],
  ['/sale?from=mail', 'https://a.example/sale?from=mail', true],
  ['/sale', 'https://a.example/sales', false],
  ['/sale*', 'https://a.example/sales/tea', true],
  ['/*/tea', 'https://a.example/sale/tea', true],
  ['/*/tea', 'https://a.example/sale/coffee', false],
  ['https://a.example/*', 'https://b.example/', false],
  ['https://a.example/*', 'https://a.example/x', true],
  ['*', 'https://a.example/anything', true],
  ['', 'https://a.example/', false],
  ['/', 'https://a.example/', true],
  ['/a*a', 'https://a.example/a', false],
  ['/(a+)+$', 'https://a.example/aaaaaaaaaaaaaaaaaaaaaaaa', false],
])('the URL pattern %s matches %s: %s', (pattern, address, isShown) => {
  expect(matchesPagePattern(pattern, address)).toBe(isShown);
});

test('errors are readable on light, dark and medium backgrounds', () => {
  const textColors = ['#b3231b', '#ffb4ab', '#6b0f08', '#ffffff'] as const;
  expect(chooseReadableColor('#ffffff', textColors)).toBe('#b3231b');
  expect(chooseReadableColor('#1b1d22', textColors)).toBe('#ffb4ab');
  expect(chooseReadableColor('#abc', textColors)).toBe('#6b0f08');
  expect(chooseReadableColor('nonsense', textColors)).toBe('#b3231b');
});

test('text is readable in each theme, and in a theme made from brand colors that lack contrast', () => {
  const isReadable = (background: string, ink: string) =>
    chooseReadableColor(background, [ink, '#fe0000']) === ink;
  const brand = createBrandTheme({
    ...{ background: '#222222', heading: '#333333', text: '#111111', button: '#ffee00' },
  });
  for (const theme of [...Object.values(THEMES), ...(brand ? [brand] : [])]) {
    const { background, heading, colour, button, buttonColour } = theme;
    for (const ink of [heading, colour]) expect(isReadable(background, ink), background).toBe(true);
    expect(isReadable(theme.fieldBackground, theme.fieldColour)).toBe(true);
    expect(isReadable(button, buttonColour), button).toBe(true);
  }
  expect(createBrandTheme({ background: '#fff', heading: null, text: null, button: null })).toBe(
    undefined,
  );
});

test('the plain HTML of a form has the same fields, and no input becomes markup', () => {
  fc.assert(
    fc.property(blocks, (step) => {
      const document = {
        ...createFormDocument('stacked', 'eng', 'https://x.example'),
        steps: [{ id: 'one', blocks: step }],
      };
      const html = renderPlainForm({
        document,
        action: 'https://x.example/f/a/view',
        version: 3,
        interests: [{ id: 'g1', title: '"><script>' }],
      });
      const tags = [...html.matchAll(/<(\/?[a-z0-9]+)/g)].map(([, tag]) => tag ?? '');
      for (const tag of tags)
        expect(tag).toMatch(/^\/?(form|h2|p|label|br|input|select|option|button)$/);
      const names = new Set([...html.matchAll(/ name="([^"]*)"/g)].map(([, name]) => name));
      const compiled = compileForm(document, {
        type: 'embed',
        interests: [{ id: 'g1', title: '' }],
      });
      const isRendered = (key: string) =>
        names.has(key.replace(/[&<>"]/g, (character) => ESCAPED[character] ?? character));
      for (const { key, as } of compiled.rules) {
        if (as !== 'hidden' && as !== 'choices') expect(isRendered(key), key).toBe(true);
      }
    }),
    { numRuns: 200 },
  );
});

const ESCAPED: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

test('a wheel stops at the drawn slice, and a losing visitor sees no text about a prize', () => {
  const slices = [
    { label: 'Tea', colour: '#fff' },
    { label: 'Nothing', colour: 'red;}' },
  ];
  const wheel = JSON.stringify(renderWheel(slices, 1));
  expect(wheel).toContain('rotate(-270)');
  expect(wheel).not.toContain('red;}');
  const form = {
    wheel: slices,
    words: { lost: 'Thank you', spun: 'Once', spunText: 'See your inbox' },
    success: ['div', {}, ['h2', {}, 'Your prize'], ['output', {}]] as MarkupTree,
  };
  const prize = { slice: 0, label: 'Tea', code: 'TEA-1' };
  expect(JSON.stringify(renderSuccess(form, prize))).toContain('"Tea"],["output",{},"TEA-1"]');
  expect(JSON.stringify(renderSuccess(form, { ...prize, code: '' }))).toContain(
    '["output",{},"Tea"]',
  );
  for (const losingPrize of [undefined, { slice: 1, label: 'Nothing', code: '', lost: true }])
    expect(JSON.stringify(renderSuccess(form, losingPrize))).not.toMatch(/Your prize|output/);
});

test('the success view shows the prize with its code, and mentions neither without a prize', () => {
  const success = compileForm(createFormDocument('corner', 'eng', 'https://x.example'), {
    type: 'popup',
    interests: [],
  }).success;
  const form = { wheel: null, words: { copy: 'Copy', copied: 'Copied' }, success };
  const successHtml = JSON.stringify(
    renderSuccess(form, { slice: 0, label: '10% off', code: 'TEA10' }),
  );
  expect(successHtml).toContain('["span",{"class":"sender-form-prize"},"10% off"]');
  expect(successHtml).toContain('"data-copy":"Copy","data-copied":"Copied"},"TEA10"]');
  expect(JSON.stringify(renderSuccess(form, undefined))).not.toMatch(/checkout|output/);
});

test('promises of a code or a discount are found in each language of forms', () => {
  const isPromise = (text: string) => {
    const document = createFormDocument('card', 'eng', 'https://x.example');
    return promisesCode({
      ...document,
      steps: [{ id: 'one', blocks: [{ id: 'a', kind: 'heading', text }] }],
    });
  };
  const promises = [
    ...['10% off', 'Get your code', '۱۰٪ تخفیف', 'Din rabattkod', '15 % rabatt', 'Få koden'],
    ...['Gaukite nuolaidą', 'Kod rabatowy', 'Tu cupón', 'Saņemiet kodu'],
  ];
  for (const text of promises) expect(isPromise(text), text).toBe(true);
  for (const text of ['Be the first to know', 'We love modern tea', 'Encode 100 notes'])
    expect(isPromise(text), text).toBe(false);
  for (const layout of LAYOUTS.popup)
    for (const language of TEMPLATE_LANGUAGES) {
      const document = createFormDocument(layout, language, 'https://x.example');
      expect(promisesCode(document), `${layout} ${language}`).toBe(hasCodeBlock(document));
    }
});

test('each layout in each template language has an email field, a success view, and at most 4 KB after compression', () => {
  for (const type of TYPES) {
    for (const layout of LAYOUTS[type]) {
      for (const language of TEMPLATE_LANGUAGES) {
        const document = createFormDocument(layout, language, 'https://x.example');
        const compiled = compileForm(document, { type, interests: [] });
        const label = `${layout} ${language}`;
        expect(compiled.rules, label).toContainEqual({ key: 'email', as: 'email', required: true });
        expect(JSON.stringify(compiled.success).length, label).toBeGreaterThan(80);
        const payload = JSON.stringify({ ...compiled, words: WORDS[language] });
        expect(brotliCompressSync(payload).length, label).toBeLessThan(4_000);
      }
    }
  }
});
