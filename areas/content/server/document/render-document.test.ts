// Emails rendered from documents: golden files per block and template, requirements of email
// clients, and arbitrary documents.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LANGUAGES } from '#platform/languages.ts';
import { propertyOptions } from '#testing/setup/property-runs.ts';
import { computeContrast } from '../../colors.ts';
import {
  BLOCK_TYPES,
  type Block,
  type BlockType,
  type SectionCondition,
  type EmailDocument,
  type Section,
} from '../../document.ts';
import {
  DEFAULT_SETTINGS,
  createBlock,
  createEmailDocument,
  createSection,
  pad,
} from '../../document-factory.ts';
import { findDocumentProblems } from '../../document-rules.ts';
import { CLIP_BYTES } from '../../shared.ts';
import { checkContent } from '../checks/check-content.ts';
import { listDocumentFindings } from '../checks/document-findings.ts';
import { scanHtml } from '../../html-scanner.ts';
import { removeMarks } from '../html/html-to-text.ts';
import { ContentError } from '../personalization/message-source.ts';
import { previewMessage } from '../preview.ts';
import { sampleSource } from '../sample-source.ts';
import { documentTexts } from '../source-parts.ts';
import { TEMPLATES } from '../templates/all.ts';
import { getSampleValues, addSampleItems } from '../templates/templates.ts';
import { templateTexts } from '../templates/template-texts.ts';
import { parseMoney } from './promotion.ts';
import { renderDocument } from './render-document.ts';
import { createLargeDocument, SAMPLE_BLOCKS, SAMPLE_CONTEXT } from './sample-document.ts';

const render = (document: EmailDocument, context = SAMPLE_CONTEXT) =>
  renderDocument(document, context);
const documentOf = (block: Block, layout: Partial<Section> = {}) =>
  createEmailDocument([createSection([[block]], layout)]);

async function preview(document: EmailDocument, values = {}) {
  const source = sampleSource({ ...(await render(document)) });
  return previewMessage(source, { email: 'a@b.example', ...values }, new Date(0));
}

/**
 * Returns the names of unclosed elements, and `open/closed` for each end tag that does not close
 * the innermost open element. Tags in conditional comments count, because Outlook reads them.
 */
function misnestedTags(html: string): string[] {
  const openTags: string[] = [];
  const errors: string[] = [];
  const VOID = /^(area|base|br|col|hr|img|input|link|meta|source|wbr|o:allowpng|\?xml)$/;
  for (const token of scanHtml(html)) {
    if (token.type === 'open' && !VOID.test(token.name)) openTags.push(token.name);
    if (token.type !== 'close') continue;
    const lastTag = openTags.pop();
    if (lastTag !== token.name) errors.push(`${lastTag}/${token.name}`);
  }
  return [...errors, ...openTags];
}

describe('golden files', () => {
  test.each(BLOCK_TYPES)('the block %s is rendered as in its golden file', async (type) => {
    const { html, text } = await render(documentOf(SAMPLE_BLOCKS[type]));
    expect(misnestedTags(html)).toEqual([]);
    await expect(`${html}\n<!--\n${removeMarks(text)}\n-->\n`).toMatchFileSnapshot(
      `goldens/${type}.html`,
    );
  });

  test.each(TEMPLATES.map((template) => [template.id, template] as const))(
    'the template %s has no findings and is rendered as in its golden file',
    async (id, template) => {
      const document = template.create(templateTexts('eng'));
      expect(findDocumentProblems(document)).toEqual([]);
      expect(listDocumentFindings(document)).toEqual([]);
      const { html, text } = await render(document);
      expect(misnestedTags(html)).toEqual([]);
      expect(Buffer.byteLength(html)).toBeLessThan(CLIP_BYTES / 2);
      await expect(`${html}\n<!--\n${removeMarks(text)}\n-->\n`).toMatchFileSnapshot(
        `goldens/template-${id}.html`,
      );
    },
  );
});

test.each(LANGUAGES)(
  'every template has content in %s and no errors or warnings except about placeholders',
  async (language) => {
    const texts = templateTexts(language);
    const context = { ...SAMPLE_CONTEXT, language };
    for (const template of TEMPLATES) {
      expect(texts.titles[template.id], template.id).toBeDefined();
      const document = template.create(texts);
      expect(findDocumentProblems(document), template.id).toEqual([]);
      const isTransactional = template.purpose === 'transactional';
      const rendering = await render(addSampleItems(document, language), context);
      const source = sampleSource({ ...rendering, language });
      // Calls supply the variables of transactional emails; each has a sample.
      const names = isTransactional ? Object.keys(getSampleValues(language)) : [];
      const findings = checkContent(source, names, document);
      // Tips are allowed. Variables that calls supply need no fallback.
      const problems = findings.filter(
        ({ severity, code, values }) =>
          severity !== 'tip' &&
          !code.startsWith('placeholder_') &&
          !(code === 'tag_without_fallback' && names.includes(String(values?.name))),
      );
      expect(problems, template.id).toEqual([]);
    }
  },
);

test('template images keep their aspect ratio without style sheets', async () => {
  for (const template of TEMPLATES) {
    const { html } = await render(template.create(templateTexts('eng')));
    const htmlWithoutStyles = html.replace(/<style[^]*?<\/style>/g, '');
    const fluid = [...htmlWithoutStyles.matchAll(/<img\b[^>]*style="([^"]*)"/g)].filter(
      ([, style]) => /(?:^|;)\s*(?:max-)?width:\d*%|width:100%/.test(style ?? ''),
    );
    for (const [image, style] of fluid) {
      expect(style, `${template.id}: ${image}`).toContain('height:auto');
    }
    expect(fluid.length > 0 || !html.includes('/i/art/'), template.id).toBe(true);
  }
});

test('a template with headings has one first-level heading and skips no level', () => {
  for (const template of TEMPLATES) {
    const blocks = template
      .create(templateTexts('eng'))
      .sections.flatMap(({ columns }) => columns.flatMap((column) => column.blocks));
    const levels = blocks.flatMap((block) => (block.type === 'heading' ? [block.level] : []));
    // The letter template has no headings because it is a personal message.
    if (template.id === 'letter') expect(levels).toEqual([]);
    else expect(levels.filter((level) => level === 1).length, template.id).toBe(1);
    let before = 0;
    for (const level of levels) {
      expect(level - before, `${template.id}: ${levels.join(' ')}`).toBeLessThanOrEqual(1);
      before = level;
    }
  }
});

test('marketing templates link to the preference page in every language', async () => {
  // Transactional emails have nothing to unsubscribe from.
  const bulk = TEMPLATES.filter(({ purpose }) => purpose !== 'transactional');
  for (const language of LANGUAGES) {
    const texts = templateTexts(language);
    for (const template of bulk) {
      const { html, text } = await render(template.create(texts), { ...SAMPLE_CONTEXT, language });
      expect(html, template.id).toContain('href="{{preferences_url}}"');
      expect(text, template.id).toContain(`${texts.preferences}: {{preferences_url}}`);
    }
  }
});

test('screen readers do not announce layout tables as tables', async () => {
  const renderings = await Promise.all([
    // Custom HTML is excluded.
    ...BLOCK_TYPES.filter((type) => type !== 'html').map((type) =>
      render(documentOf(SAMPLE_BLOCKS[type])),
    ),
    render(
      documentOf(createBlock('product', { ...SAMPLE_BLOCKS.product, id: 'p', layout: 'beside' })),
    ),
    ...TEMPLATES.map((template) => render(template.create(templateTexts('eng')))),
  ]);
  let layouts = 0;
  for (const { html } of renderings) {
    for (const { 0: table, index } of html.matchAll(/<table\b[^>]*>/g)) {
      if (/role="(?:presentation|none)"/.test(table)) layouts++;
      // Tables without such a role are those of table blocks.
      else expect(html.slice(index)).toMatch(/^<table[^>]*>\s*<tr><(?:th scope|td align)/);
    }
  }
  expect(layouts).toBeGreaterThan(300);
});

test('the button of a coupon is a table cell, so that Outlook shows its padding and background', async () => {
  const { html } = await render(documentOf(SAMPLE_BLOCKS.coupon));
  const cell =
    /<td align="center" bgcolor="#[0-9a-f]{6}"[^>]*mso-padding-alt:[^>]*><a [^>]*>([^<]*)<\/a><\/td>/.exec(
      html,
    );
  expect(cell?.[1]).toBe((SAMPLE_BLOCKS.coupon as { label: string }).label);
});

test('a former price is legible on light and dark backgrounds', async () => {
  const grounds = ['#ffffff', '#fff3d6', '#eef1f6', '#1f2140', '#767676'] as const;
  for (const background of grounds) {
    const block = createBlock('product', { name: 'Tea', price: '7.00', old_price: '9.00' });
    const { html } = await render(documentOf(block, { background }));
    const faint = /<s[^>]* style="color:(#[0-9a-f]{6})">9\.00<\/s>/.exec(html)?.[1];
    expect(computeContrast(faint as `#${string}`, background), background).toBeGreaterThanOrEqual(
      4.5,
    );
    const name = /<s class="([\w-]+)"/.exec(html)?.[1];
    expect(html).toMatch(new RegExp(`\\.${name}[^{]*\\{[^}]*color:#[0-9a-f]{6}`));
  }
});

test('Gmail annotations list only coupons and products that have neither a condition nor merge tags', async () => {
  const itemsOf = (html: string) =>
    [...html.matchAll(/itemtype="http:\/\/schema\.org\/(\w+)"[^>]*>((?:<meta[^>]*>)*)/g)].map(
      ([, type, metas = '']) => [
        type,
        Object.fromEntries(
          [...metas.matchAll(/itemprop="(\w+)" content="([^"]*)"/g)].map(([, k, v]) => [k, v]),
        ),
      ],
    );
  const both = createEmailDocument([
    createSection([[SAMPLE_BLOCKS.coupon, SAMPLE_BLOCKS.product]]),
  ]);
  expect(itemsOf((await render(both)).html)).toEqual([
    ['DiscountOffer', { description: '15 % off', discountCode: 'TEA15' }],
    [
      'PromotionCard',
      {
        image: 'https://mail.example/i/art/mug.png',
        url: (SAMPLE_BLOCKS.product as { href: string }).href.replaceAll('&', '&amp;'),
        headline: 'Mug',
        price: '12.00',
        priceCurrency: 'EUR',
        discountValue: '8.00',
        position: '1',
      },
    ],
  ]);
  expect(itemsOf((await render(documentOf(SAMPLE_BLOCKS.text))).html)).toEqual([]);
  const personal = createBlock('coupon', { title: 'For {{firstname}}', code: '{{code}}' });
  expect(itemsOf((await render(documentOf(personal))).html)).toEqual([]);
  const condition: SectionCondition = {
    match: 'all',
    rules: [{ kind: 'field', field: 'city', operator: 'is', value: 'Oslo' }],
  };
  expect(itemsOf((await render(documentOf(SAMPLE_BLOCKS.coupon, { condition }))).html)).toEqual([]);
});

test.each([
  ['€12', 12, 'EUR'],
  ['1.299,50 €', 1299.5, 'EUR'],
  ['£1,299.50', 1299.5, 'GBP'],
  ['NOK 1 200', 1200, 'NOK'],
  ['12.00 USD', 12, 'USD'],
  ['₹1,00,000', 100_000, 'INR'],
])('%s is parsed as an amount', (text, amount, currency) => {
  expect(parseMoney(text)).toEqual({ amount, currency });
});

test.each(['', 'from 12', '$12', '12 kr', 'free', '€', '{{price}}', '€12.5', '1,2345 €'])(
  '%s is not parsed as an amount',
  (text) => {
    expect(parseMoney(text)).toBeUndefined();
  },
);

describe('an email', () => {
  test('an email disables automatic links and scaling on iOS', async () => {
    const { html } = await render(documentOf(SAMPLE_BLOCKS.text));
    expect(html).toContain('<meta name="format-detection" content="telephone=no,');
    expect(html).toContain('<meta name="x-apple-disable-message-reformatting">');
  });

  test('an email has columns for Outlook and images with width, height and alt', async () => {
    const { html } = await render(
      createEmailDocument([createSection([[SAMPLE_BLOCKS.image], [SAMPLE_BLOCKS.text]])]),
    );
    expect(html).toContain('<!--[if mso | IE]><table');
    expect(html).toContain('<o:OfficeDocumentSettings>');
    expect(html).toMatch(/alt="A mug of &quot;tea&quot; &amp; more"[^>]+width="205" height="205"/);
    expect(html).toContain('src="https://mail.example/i/art/mug.png"');
  });

  test('an email has dark mode styles for each client, and none if it has no dark colors', async () => {
    const coloredBlock = createBlock('text', { html: '<p>Hi</p>', style: { color: '#5a0d0d' } });
    const { html } = await render(documentOf(coloredBlock, { background: '#fff3d6' }));
    expect(html).toContain('<meta name="color-scheme" content="light dark">');
    expect(html).toContain('@media (prefers-color-scheme:dark)');
    expect(html).toContain('[data-ogsc]');
    expect(html).toContain('[data-ogsb]');
    const bright = createEmailDocument([createSection([[coloredBlock]])], { dark: null });
    expect((await render(bright)).html).not.toContain('prefers-color-scheme');
  });

  test('names links to no social network in its language', async () => {
    const links = (['instagram', 'website', 'email', 'phone'] as const).map((network) => ({
      network,
      href: `https://tea.example/${network}`,
    }));
    const context = { ...SAMPLE_CONTEXT, language: 'nor', texts: documentTexts('nor') } as const;
    const { html, text } = await render(documentOf(createBlock('social', { links })), context);
    for (const name of ['Instagram', 'Nettsted', 'E-post', 'Telefon']) {
      expect(html).toContain(`alt="${name}"`);
      expect(removeMarks(text ?? '')).toContain(`${name}: https://tea.example/`);
    }
  });

  test('runs from right to left in Persian unless its settings force a direction', async () => {
    const document = createEmailDocument([
      createSection([[SAMPLE_BLOCKS.text], [SAMPLE_BLOCKS.button]], { padding: pad(0, 10, 0, 20) }),
    ]);
    const { html } = await render(document, { ...SAMPLE_CONTEXT, language: 'fas' });
    expect(html).toMatch(/<html[^>]+lang="fa"[^>]+dir="rtl"/);
    expect(html).not.toContain('direction:ltr');
    expect(html).toContain('padding:0px 20px 0px 10px');
    expect(html).toContain('padding-right:24px');
    expect(html).toContain('text-align:left');
    const forcedDocument = {
      ...document,
      settings: { ...document.settings, direction: 'ltr' as const },
    };
    expect((await render(forcedDocument, { ...SAMPLE_CONTEXT, language: 'fas' })).html).toContain(
      'dir="ltr"',
    );
  });

  test('hides and resizes blocks and reverses columns on narrow screens', async () => {
    const blocks = [
      createBlock('text', { html: '<p>wide</p>', hide_on: 'mobile' }),
      createBlock('text', { html: '<p>narrow</p>', hide_on: 'desktop' }),
      createBlock('heading', { level: 1, html: 'Big', mobile: { size: 20, align: 'center' } }),
    ];
    const document = createEmailDocument([
      createSection([blocks, [SAMPLE_BLOCKS.text]], { stacking: 'reverse' }),
    ]);
    const { html, text } = await render(document);
    expect(html).toContain('display:none!important');
    expect(html).toContain('display:none;mso-hide:all');
    expect(html).toContain('font-size:20px!important');
    expect(html.match(/direction:(rtl|ltr)/g)).toEqual([
      'direction:rtl',
      'direction:ltr',
      'direction:ltr',
    ]);
    expect(html.indexOf('One <strong>')).toBeLessThan(html.indexOf('>Big'));
    expect(text).toContain('wide');
    expect(text).not.toContain('narrow');
  });

  test('omits sections hidden on desktops from the plain text', async () => {
    const blocksOf = (html: string) => [[createBlock('text', { html: `<p>${html}</p>` })]];
    const document = createEmailDocument([
      createSection(blocksOf('everywhere')),
      createSection(blocksOf('wide'), { hide_on: 'mobile' }),
      createSection(blocksOf('narrow'), { hide_on: 'desktop' }),
    ]);
    const { text } = await render(document);
    expect(text).toContain('everywhere');
    expect(text).toContain('wide');
    expect(text).not.toContain('narrow');
  });

  test.each(['mobile', 'desktop'] as const)(
    'never hides the unsubscribe link on %s',
    async (hide_on) => {
      const link = createBlock('text', {
        html: '<p><a href="{{ unsubscribe_link }}">Leave</a></p>',
        hide_on,
      });
      const section = createSection([[createBlock('text', { html: '<p>Around it</p>' })], [link]], {
        hide_on,
      });
      const { html, text } = await render(createEmailDocument([section]));
      expect(html).not.toMatch(/display:none(!important|;mso-hide)/);
      expect(text).toContain('unsubscribe_link');
    },
  );

  test('loads web fonts only when used and with a fallback stack', async () => {
    const defaultRendering = await render(documentOf(SAMPLE_BLOCKS.text));
    expect(defaultRendering.html).not.toMatch(/rel="stylesheet"|@import|fonts\.googleapis/);
    const fancy = createBlock('text', { html: '<p>Hi</p>', style: { font: 'Playfair Display' } });
    const { html } = await render(documentOf(fancy));
    expect(html).toContain('https://mail.example/i/fonts/playfair-display.css?w=400,700');
    expect(html).toMatch(/font-family:'Playfair Display',Georgia,Times,serif/);
  });

  test("uses the brand's logo and website when the header has none", async () => {
    const logo = { src: '/i/abc/logo.png', alt: '', width: 300, height: 100 };
    const { html } = await render(documentOf(createBlock('header')), { ...SAMPLE_CONTEXT, logo });
    expect(html).toContain('src="https://mail.example/i/abc/logo.png"');
    expect(html).toContain('alt="Nordic Tea"');
    expect(html).toContain('href="https://tea.example/"');
  });

  test('fills merge tags of both syntaxes in text, URLs and buttons', async () => {
    const text = createBlock('text', {
      html: '<p>{$firstname} &amp; {{ firstname | upcase }}</p>',
    });
    const button = createBlock('button', {
      label: 'For {{firstname}}',
      href: 'https://tea.example/?who={{firstname}}',
    });
    const email = await preview(createEmailDocument([createSection([[text, button]])]), {
      firstname: '<Åse>',
    });
    expect(email.html).toContain('&lt;Åse&gt; &amp; &lt;ÅSE&gt;');
    expect(email.html).toContain('https://tea.example/?who=%3C%C3%85se%3E');
    expect(email.text).toContain('<Åse> & <ÅSE>');
    expect(email.text).toContain('For <Åse>: https://tea.example/');
  });

  test('an email with a hundred blocks is rendered within four seconds and is below twice the clip size', async () => {
    await render(documentOf(SAMPLE_BLOCKS.text));
    // Measures CPU time, which is independent of the machine's load.
    const cpuStart = process.cpuUsage();
    const { html } = await render(createLargeDocument(100));
    expect(process.cpuUsage(cpuStart).user / 1000).toBeLessThan(4000);
    expect(Buffer.byteLength(html)).toBeLessThan(CLIP_BYTES * 2);
  });
});

describe('arbitrary documents', () => {
  const HOSTILE_TEXT = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom(
      '</td></table></body>',
      '<script>alert(1)</script>',
      '{{ firstname | fallback: "x" }}',
      '{{ unsubscribe_link }}',
      '{{ broken',
      '{% for i in (1..99999999) %}x{% endfor %}',
      'xslot0x xslot1x',
      '\ufdd20\ufdd3 hidden \ufdd2\ufdd3',
      '<!--[if mso]><td><![endif]-->',
      '</mj-text><mj-raw>',
      '$& $1 $$',
    ),
  );
  const block = fc
    .tuple(fc.constantFrom(...BLOCK_TYPES), HOSTILE_TEXT, HOSTILE_TEXT)
    .map(([type, a, b]) => createHostileBlock(type, a, b));
  const section = fc
    .tuple(
      fc.array(fc.array(block, { maxLength: 3 }), { minLength: 1, maxLength: 4 }),
      fc.record({
        stacking: fc.constantFrom('stack' as const, 'reverse' as const, 'keep' as const),
        outer_background: fc.constantFrom(null, '#112233' as const),
        hide_on: fc.constantFrom(null, 'mobile' as const, 'desktop' as const),
        condition: fc.constantFrom<SectionCondition | null>(null, {
          match: 'any',
          rules: [{ kind: 'field', field: 'firstname', operator: 'is', value: 'A' }],
        }),
      }),
    )
    .map(([columns, layout]) => createSection(columns, layout));

  const ALIGNMENTS = new Set(['start', 'end']);
  const URL_KEYS = new Set(['href', 'src']);
  const TEXT_KEYS = new Set([
    ...URL_KEYS,
    ...'html label title code name price old_price alt separator'.split(' '),
    ...'browser_label unsubscribe_label 0 1'.split(' '),
  ]);

  /** Returns a sample block of this type with the given strings in its text and URL properties. */
  function createHostileBlock(type: BlockType, first: string, second: string): Block {
    const { id: _, type: _type, ...rest } = SAMPLE_BLOCKS[type];
    const serialized = JSON.parse(JSON.stringify(rest), (key, value: unknown) => {
      if (typeof value !== 'string' || !TEXT_KEYS.has(key) || ALIGNMENTS.has(value)) return value;
      if (!URL_KEYS.has(key)) return key === 'separator' ? first.slice(0, 5) : first + second;
      return value && `https://x.example/${encodeURIComponent(second.toWellFormed())}`;
    }) as object;
    return createBlock(type, serialized);
  }

  test('arbitrary documents render as a complete email or report their errors', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(section, { maxLength: 3 }),
        fc.boolean(),
        async (sections, isDark) => {
          const document = createEmailDocument(sections, {
            dark: isDark ? DEFAULT_SETTINGS.dark : null,
          });
          expect(findDocumentProblems(document)).toEqual([]);
          const rendering = await render(document);
          expect(misnestedTags(rendering.html)).toEqual([]);
          try {
            const email = previewMessage(sampleSource(rendering), { firstname: 'A' }, new Date(0));
            expect(email.html).not.toMatch(/[\ufdd0-\ufdd3]|<script/);
            expect(email.text.length).toBeGreaterThan(0);
          } catch (error) {
            if (!(error instanceof ContentError)) throw error;
            expect(error.findings.length).toBeGreaterThan(0);
          }
        },
      ),
      propertyOptions(120, 30),
    );
  });

  test('documents that contain arbitrary JSON are validated without an exception', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(findDocumentProblems(value).length).toBeGreaterThan(0);
      }),
    );
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const document = {
          ...createEmailDocument(),
          sections: [{ ...createSection(), columns: value }],
        };
        expect(Array.isArray(findDocumentProblems(document))).toBe(true);
      }),
    );
  });
});
