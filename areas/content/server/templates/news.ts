// Templates of newsletters, announcements and letters.
import type { TemplateDefinition } from './all.ts';
import {
  art,
  button,
  cards,
  columns,
  divider,
  ending,
  figure,
  gap,
  h1,
  h2,
  h3,
  list,
  logo,
  templateSettings,
  composeEmail,
  pad,
  section,
  SITE,
  social,
  text,
  wide,
} from './builders.ts';

const createSmallStyle = (color: `#${string}`) => ({
  size: 13,
  weight: 700,
  color,
  padding: pad(12, 32, 0),
});
const centeredStyle = { align: 'center' } as const;

export const NEWS: TemplateDefinition[] = [
  {
    id: 'newsletter-monthly',
    purpose: 'newsletter',
    create: (texts) =>
      composeEmail(
        templateSettings(
          { background: '#efece5', accent: '#3f6b5c', heading: '#22332d', text: '#40473f' },
          { heading: 'Playfair Display', text: 'Lato', sizes: [38, 25, 19] },
        ),
        [
          section([logo()], { padding: pad(8, 0) }),
          section([wide('hills', texts.monthly.alt)], { padding: pad(0) }),
          section([
            text(texts.monthly.label, createSmallStyle('#8a6a4d')),
            h1(texts.monthly.heading),
            text(texts.monthly.intro),
          ]),
          section([divider('#e2dccf')], { padding: pad(0) }),
          section([h2(texts.monthly.lead), text(texts.monthly.leadText), button(texts.readMore)]),
          columns([
            [
              art('chair', texts.monthly.storyOne, { radius: 8 }),
              h3(texts.monthly.storyOne),
              text(texts.monthly.storyOneText),
            ],
            [
              art('book', texts.monthly.storyTwo, { radius: 8 }),
              h3(texts.monthly.storyTwo),
              text(texts.monthly.storyTwoText),
            ],
          ]),
          section([h2(texts.monthly.coming), text(list(texts.monthly.comingItems))], {
            background: '#e4ecdf',
            padding: pad(20, 0),
          }),
          section([social('dark')], { padding: pad(16, 0, 0) }),
          ending(texts.why, texts),
        ],
      ),
  },
  {
    id: 'newsletter-editorial',
    purpose: 'newsletter',
    create: (texts) =>
      composeEmail(
        templateSettings(
          {
            background: '#faf8f4',
            content: '#faf8f4',
            accent: '#9b3d2a',
            heading: '#221d1a',
            text: '#3b3430',
          },
          { heading: 'Cormorant Garamond', text: 'Georgia', sizes: [44, 26, 20], weight: 600 },
          { text: { font: 'Georgia', size: 18, line_height: 1.65, color: '#3b3430' }, width: 580 },
        ),
        [
          section([
            logo(),
            text(texts.editorial.label, { ...centeredStyle, size: 14, color: '#9b3d2a' }),
            h1(texts.editorial.heading, centeredStyle),
            divider('#d9cfc2', { padding: pad(20, 32) }, 36),
          ]),
          section([
            text(texts.editorial.body),
            text(texts.editorial.quote, {
              ...centeredStyle,
              font: 'Cormorant Garamond',
              size: 28,
              line_height: 1.35,
              color: '#9b3d2a',
              padding: pad(24, 48),
            }),
            text(texts.editorial.more),
            text(texts.editorial.sign, { padding: pad(16, 32) }),
          ]),
          section(
            [
              h2(texts.editorial.also, { size: 20 }),
              text(list(texts.editorial.links.map((link) => `<a href="${SITE}">${link}</a>`)), {
                size: 16,
              }),
            ],
            { background: '#f1ebe1', padding: pad(16, 0) },
          ),
          ending(texts.why, texts),
        ],
      ),
  },
  {
    id: 'newsletter-digest',
    purpose: 'newsletter',
    create: (texts) =>
      composeEmail(
        templateSettings(
          { background: '#eef1f6', accent: '#2457c5', heading: '#14213d', text: '#444b59' },
          { text: 'Verdana', heading: 'Trebuchet MS', sizes: [30, 19, 17] },
          { text: { font: 'Verdana', size: 14, line_height: 1.6, color: '#444b59' } },
        ),
        [
          section([logo({ align: 'start' })], { padding: pad(0) }),
          section(
            [
              h1(texts.digest.heading, { color: '#ffffff' }),
              text(texts.digest.intro, { color: '#dbe6ff' }),
            ],
            { background: '#14213d', padding: pad(24, 0) },
          ),
          ...texts.digest.items.map(([title = '', body = ''], i) =>
            columns(
              [
                [
                  figure(texts.numbers[i] ?? '', 30, {
                    font: 'Trebuchet MS',
                    color: '#2457c5',
                    align: 'center',
                    padding: pad(8, 0, 0, 24),
                  }),
                ],
                [
                  h2(`<a href="${SITE}">${title}</a>`, { padding: pad(12, 32, 0, 0) }),
                  text(body, { padding: pad(4, 32, 8, 0) }),
                ],
              ],
              { ratios: [1, 6], stacking: 'keep', padding: pad(4, 0), gap: 8 },
            ),
          ),
          section([divider(), text(texts.digest.end, centeredStyle)]),
          ending(texts.why, texts),
        ],
      ),
  },
  {
    id: 'newsletter-studio',
    purpose: 'newsletter',
    create: (texts) =>
      composeEmail(
        templateSettings(
          {
            background: '#ffd84d',
            content: '#ffffff',
            accent: '#111111',
            heading: '#111111',
            text: '#2c2c2c',
          },
          { heading: 'Space Grotesk', text: 'Space Grotesk', sizes: [40, 26, 19] },
        ),
        [
          section([logo({ align: 'start' })], { background: '#ffd84d', padding: pad(0) }),
          section(
            [
              text(texts.studio.label, { size: 14, weight: 700 }),
              h1(texts.studio.heading),
              gap(12),
            ],
            { background: '#ffd84d' },
          ),
          section([gap(8), text(texts.studio.intro, { size: 18 })]),
          columns([
            [art('lamp', texts.studio.one)],
            [h2(texts.studio.one), text(texts.studio.oneText), button(texts.readMore)],
          ]),
          columns(
            [
              [art('plant', texts.studio.two)],
              [h2(texts.studio.two), text(texts.studio.twoText), button(texts.readMore)],
            ],
            { stacking: 'stack' },
          ),
          section(
            [
              text(texts.studio.quote, {
                size: 24,
                line_height: 1.35,
                color: '#ffd84d',
                weight: 700,
              }),
              text(texts.studio.quoteBy, { color: '#d8d8d8', size: 14 }),
            ],
            { background: '#111111', padding: pad(28, 0) },
          ),
          section(
            [
              h2(texts.studio.call, centeredStyle),
              button(texts.studio.callButton, centeredStyle),
              gap(8),
              social('dark'),
            ],
            { padding: pad(20, 0) },
          ),
          ending(texts.why, texts),
        ],
      ),
  },
  {
    id: 'announcement',
    purpose: 'announcement',
    create: (texts) =>
      composeEmail(templateSettings({ background: '#e9edf9', accent: '#3b4fe4' }), [
        section([logo()], { background: '#e9edf9', padding: pad(0) }),
        section([wide('letter', texts.announcement.alt)], { padding: pad(0) }),
        section(
          [
            text(texts.announcement.label, createSmallStyle('#3b4fe4')),
            h1(texts.announcement.heading),
            text(texts.announcement.body),
            button(texts.announcement.button),
          ],
          { padding: pad(20, 0, 28) },
        ),
        ending(texts.why, texts, { background: '#e9edf9' }),
      ]),
  },
  {
    id: 'product-launch',
    purpose: 'announcement',
    create: (texts) =>
      composeEmail(
        templateSettings(
          {
            background: '#0d1129',
            content: '#141a3c',
            accent: '#ffb454',
            onAccent: '#141a3c',
            heading: '#ffffff',
            text: '#c9d0f0',
          },
          { heading: 'Sora', text: 'Inter', sizes: [40, 26, 20] },
        ),
        [
          section([logo({ color: '#ffffff' })], { padding: pad(0) }),
          section([wide('launch', texts.launch.altLaunch)], { padding: pad(0) }),
          section(
            [
              text(texts.launch.label, {
                ...centeredStyle,
                color: '#ffb454',
                weight: 700,
                size: 14,
              }),
              h1(texts.launch.heading, centeredStyle),
              text(texts.launch.intro, { ...centeredStyle, size: 18 }),
              button(texts.launch.button, centeredStyle),
            ],
            { padding: pad(24, 0) },
          ),
          columns(
            texts.launch.facts.map(([number = '', body = '']) => [
              figure(number, 32, { ...centeredStyle, color: '#ffb454', font: 'Sora' }),
              text(body, { ...centeredStyle, size: 14 }),
            ]),
            { padding: pad(12, 0) },
          ),
          columns(
            [
              [art('headphones', texts.launch.alt, { radius: 12 })],
              [h2(texts.launch.more), text(texts.launch.moreText, { size: 15 })],
            ],
            { padding: pad(20, 0, 28) },
          ),
          ending(texts.why, texts),
        ],
      ),
  },
  {
    id: 'product-update',
    purpose: 'announcement',
    create: (texts) => {
      const colors = ['#1b7f4b', '#2457c5', '#a15c00'] as const;
      return composeEmail(
        templateSettings(
          { background: '#f2f3f7', accent: '#2457c5' },
          { text: 'Inter', heading: 'Inter', sizes: [32, 20, 18] },
        ),
        [
          section([logo({ align: 'start' })], { background: '#f2f3f7', padding: pad(0) }),
          section(
            [
              text(texts.update.label, createSmallStyle('#2457c5')),
              h1(texts.update.heading),
              text(texts.update.intro),
            ],
            { padding: pad(16, 0), radius: 10 },
          ),
          ...texts.update.items.flatMap(([kind = '', title = '', body = ''], i) => [
            section(
              [
                text(kind, {
                  size: 12,
                  weight: 700,
                  color: colors[i] ?? '#2457c5',
                  padding: pad(8, 32, 0),
                }),
                h2(title, { padding: pad(2, 32, 0) }),
                text(body),
              ],
              { padding: pad(6, 0) },
            ),
          ]),
          section([button(texts.update.button)], { padding: pad(4, 0, 24) }),
          ending(texts.why, texts, { background: '#f2f3f7' }),
        ],
      );
    },
  },
  {
    id: 'letter',
    purpose: 'letter',
    create: (texts) =>
      composeEmail(
        templateSettings(
          { background: '#ffffff', content: '#ffffff', accent: '#2457c5', text: '#222222' },
          { text: 'Arial' },
          {
            text: { font: 'Arial', size: 16, line_height: 1.6, color: '#222222' },
            width: 560,
            gutter: 16,
          },
        ),
        [
          section([text([...texts.letter.body, texts.letter.sign])], { padding: pad(16, 0) }),
          ending(texts.why, texts, { padding: pad(0) }),
        ],
      ),
  },
  {
    id: 'thank-you',
    purpose: 'letter',
    create: (texts) =>
      composeEmail(
        templateSettings(
          { background: '#fbe9e4', accent: '#c0432f', heading: '#7b2d5b' },
          { heading: 'Lora', text: 'Lato', sizes: [38, 26, 20] },
        ),
        [
          section([wide('party', texts.thanks.alt)], { padding: pad(0) }),
          section(
            [
              h1(texts.thanks.heading, centeredStyle),
              text(texts.thanks.body),
              text(texts.thanks.sign, { font: 'Caveat', size: 28, color: '#7b2d5b' }),
            ],
            { padding: pad(24, 0) },
          ),
          ending(texts.why, texts, { background: '#fbe9e4' }),
        ],
      ),
  },
  {
    id: 'fundraising',
    purpose: 'letter',
    create: (texts) =>
      composeEmail(
        templateSettings(
          { background: '#eef3ea', accent: '#2f6348', heading: '#20392c' },
          { heading: 'Merriweather', text: 'Open Sans', sizes: [34, 26, 19] },
        ),
        [
          section([logo()], { padding: pad(0) }),
          section([wide('hills', texts.fund.alt)], { padding: pad(0) }),
          section([
            text(texts.fund.label, createSmallStyle('#a15c00')),
            h1(texts.fund.heading),
            text(texts.fund.body),
          ]),
          cards(
            texts.fund.facts.map(([number = '', body = '']) => [
              figure(number, 26, { ...centeredStyle, color: '#2f6348', font: 'Merriweather' }),
              text(body, { ...centeredStyle, size: 14 }),
            ]),
            '#eef3ea',
          ),
          section(
            [
              button(texts.fund.button, centeredStyle),
              text(texts.fund.so_far, { ...centeredStyle, size: 14 }),
            ],
            {
              padding: pad(16, 0, 24),
            },
          ),
          ending(texts.why, texts, { background: '#eef3ea' }),
        ],
      ),
  },
];
