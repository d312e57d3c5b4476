import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { LANGUAGES, LOCALE } from '#platform/languages.ts';
import { checkLocales } from './check-locales.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** Returns the files of a small product with valid strings. */
function product(): Record<string, string> {
  const files: Record<string, string> = {
    'areas/groups/web/screen.tsx': `
      const t = useTexts('groups');
      export const screen = <p title={t('title')}>{t('members', { count: 2 })} {t(\`state.\${x}\`)}</p>;`,
    'areas/groups/web/routes.tsx': `
      export const routes = defineRoutes({
        texts: ['groups'], navigation: ['segments:title'], load: () => import('./screen.tsx'),
      });`,
    'areas/groups/server/groups.ts': `throw new AppError('group_full');`,
  };
  for (const language of LANGUAGES) {
    const translate = (text: string) =>
      language === 'eng' ? text : `${language} ${text.toLowerCase()}`;
    const { pluralCategories } = new Intl.PluralRules(LOCALE[language]).resolvedOptions();
    const members = pluralCategories.map((form) => [
      `members_${form}`,
      translate('{{count}} members'),
    ]);
    const catalog = {
      title: translate('Groups'),
      state: { open: translate('Open') },
      ...Object.fromEntries(members),
    };
    files[`locales/${language}/groups.json`] = JSON.stringify(catalog);
    files[`locales/${language}/groups.server.json`] = JSON.stringify({
      errors: { group_full: translate('This group is full.') },
    });
  }
  return files;
}

function check(changes: Record<string, string | undefined> = {}): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'locales-'));
  folders.push(folder);
  for (const [path, text] of Object.entries({ ...product(), ...changes })) {
    if (text === undefined) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return checkLocales(folder);
}

function changeCatalog(path: string, change: (catalog: Record<string, unknown>) => void) {
  const catalog = JSON.parse(product()[path] ?? '') as Record<string, unknown>;
  change(catalog);
  return { [path]: JSON.stringify(catalog) };
}

const screen = (code: string) => ({
  'areas/groups/web/more.tsx': `const t = useTexts('groups');\nexport const more = ${code};`,
});

test('valid strings pass', () => {
  expect(check()).toEqual([]);
});

test('sample input such as an address needs no translation', () => {
  expect(check(screen('<input placeholder="shop.example.com" title="a@b.example" />'))).toEqual([]);
});

test.each([
  ['a missing file', { 'locales/swe/groups.json': undefined }, 'swe/groups.json is missing'],
  [
    'a missing key',
    changeCatalog('locales/fas/groups.json', (texts) => delete texts.title),
    'fas/groups.json: title is missing',
  ],
  [
    'a missing plural form',
    changeCatalog('locales/lit/groups.json', (texts) => delete texts.members_few),
    'lit/groups.json: members_few is missing',
  ],
  [
    'a form that the language does not have',
    changeCatalog('locales/eng/groups.json', (texts) => Object.assign(texts, { members_few: 'x' })),
    'eng/groups.json: members_few is not in the English catalog',
  ],
  [
    'another placeholder',
    changeCatalog('locales/nor/groups.json', (texts) =>
      Object.assign(texts, { title: '{{name}}' }),
    ),
    'nor/groups.json: title has other placeholders',
  ],
  [
    'an empty text',
    changeCatalog('locales/lav/groups.json', (texts) => Object.assign(texts, { title: ' ' })),
    'lav/groups.json: title is empty',
  ],
  [
    'a key that no code uses',
    Object.assign(
      {},
      ...LANGUAGES.map((language) =>
        changeCatalog(`locales/${language}/groups.json`, (texts) =>
          Object.assign(texts, { old: 'Old' }),
        ),
      ),
    ) as Record<string, string>,
    'groups.json: old is used nowhere',
  ],
  [
    'a key that is in no catalog',
    screen(`<p>{t('lost.key')}</p>`),
    'groups:lost.key is in no catalog',
  ],
  [
    'a key that the named catalog lacks',
    screen(`<p>{text('platform:lost')}</p>`),
    'platform:lost is in no catalog',
  ],
  [
    'texts of another area that an imported component uses',
    {
      'areas/groups/web/screen.tsx': `${product()['areas/groups/web/screen.tsx']}
        export { piece } from '#areas/segments/web/piece.tsx';`,
      'areas/segments/web/piece.tsx': `export const piece = useTexts('segments.words')('and');`,
      ...Object.fromEntries(
        LANGUAGES.map((language) => [`locales/${language}/segments.words.json`, '{ "and": "&" }']),
      ),
    },
    `texts must name 'segments.words', which areas/segments/web/piece.tsx uses`,
  ],
  [
    'texts that no screen of the area uses',
    {
      'areas/groups/web/routes.tsx': `
        export const routes = { texts: ['groups', 'fields'], load: () => import('./screen.tsx') };`,
    },
    `texts need not name 'fields'`,
  ],
  [
    'an error without text',
    { 'areas/groups/server/more.ts': `throw new AppError('unheard_of');` },
    'errors.unheard_of is in no',
  ],
  ['literal text between tags', screen('<p>Hello there</p>'), `'Hello there' belongs in locales/`],
  ['literal text in braces', screen(`<p>{'Hello'}</p>`), `'Hello' belongs in locales/`],
  ['literal text in an attribute', screen('<input placeholder="Search" />'), `'Search' belongs`],
  ['literal text for screen readers', screen(`<b aria-label={'Close'} />`), `'Close' belongs`],
] as [string, Record<string, string | undefined>, string][])(
  '%s is reported',
  (_, changes, message) => {
    expect(check(changes).join('\n')).toContain(message);
  },
);

test('strings that a lazy component loads are available only to the files that it imports', () => {
  const lateProduct = {
    'areas/groups/web/screen.tsx': `${product()['areas/groups/web/screen.tsx']}
      export { Late } from '#areas/segments/web/late.ts';`,
    'areas/segments/web/late.ts': `
      export const Late = lazyWithRetry(() => [import('./piece.tsx'), areaTexts(['segments.words'])]);`,
    'areas/segments/web/piece.tsx': `export const piece = useTexts('segments.words')('and');`,
    ...Object.fromEntries(
      LANGUAGES.map((language) => [`locales/${language}/segments.words.json`, '{ "and": "&" }']),
    ),
  };
  expect(check(lateProduct)).toEqual([]);
  const bothExports = `${lateProduct['areas/groups/web/screen.tsx']}
    export { piece } from '#areas/segments/web/piece.tsx';`;
  expect(check({ ...lateProduct, 'areas/groups/web/screen.tsx': bothExports }).join()).toContain(
    `texts must name 'segments.words'`,
  );
});

test('untranslated English is reported, except names and shared words', () => {
  const path = 'locales/lit/groups.json';
  const untranslatedProduct = changeCatalog(path, (texts) => {
    texts.title = 'Groups';
  });
  expect(check(untranslatedProduct)).toEqual([`${path}: title is still English.`]);
  const english = changeCatalog('locales/eng/groups.json', (texts) => {
    texts.title = 'API';
  });
  const sameProduct = changeCatalog(path, (texts) => {
    texts.title = 'API';
  });
  expect(check({ ...english, ...sameProduct })).toEqual([]);
});

test('Latin digits in Persian are reported, except in formats and addresses', () => {
  const path = 'locales/fas/groups.json';
  const checkTitle = (title: string) =>
    check(
      changeCatalog(path, (texts) => {
        texts.title = title;
      }),
    );
  expect(checkTitle('دست‌کم 2 نویسه')).toEqual([`${path}: title has Latin digits.`]);
  expect(checkTitle('دست‌کم ۲ نویسه، UTF-8، \u200E31/01/2026، \u2066127.0.0.1:25\u2069')).toEqual(
    [],
  );
});

describe('content catalogs with a separate list of languages', () => {
  const file = (language: string) => `locales/${language}/form-layouts.content.json`;
  const contents = {
    'areas/groups/server/layouts.ts': 'export const title = (words) => words.offers[0];',
    [file('eng')]: JSON.stringify({ offers: ['10% off your first order!'] }),
    [file('lit')]: JSON.stringify({ offers: ['10 % nuolaida'] }),
    [file('pol')]: JSON.stringify({ offers: ['10% zniżki'] }),
    [file('spa')]: JSON.stringify({ offers: ['10 % de descuento'] }),
  };

  test('content catalogs pass if they exist in each of their languages', () => {
    expect(check(contents)).toEqual([]);
  });

  test.each([
    ['a missing language', { [file('spa')]: undefined }, `${file('spa')} is missing.`],
    [
      'a superfluous language',
      { [file('nor')]: JSON.stringify({ offers: ['10 % rabatt'] }) },
      `${file('nor')}: the catalog is not offered in this language.`,
    ],
    [
      'a missing item of a list',
      { [file('pol')]: JSON.stringify({ offers: [] }) },
      `${file('pol')}: offers.0 is missing.`,
    ],
    [
      'a British spelling',
      { [file('eng')]: JSON.stringify({ offers: ['Every colour'] }) },
      `${file('eng')}: offers.0 contains “colour”; use: American spelling, as color.`,
    ],
    [
      'an unused name',
      { 'areas/groups/server/layouts.ts': undefined },
      'locales/eng/form-layouts.content.json: offers.0 is used nowhere.',
    ],
  ] as [string, Record<string, string | undefined>, string][])(
    '%s is reported',
    (_, changes, violation) => {
      expect(check({ ...contents, ...changes })).toEqual([violation]);
    },
  );
});
