// Templates of sales, coupons, collections, orders, seasons and feedback.
import { createBlock } from '../../document-factory.ts';
import type { TemplateDefinition } from './all.ts';
import {
  art,
  button,
  cards,
  columns,
  divider,
  ending,
  gap,
  h1,
  h2,
  list,
  logo,
  templateSettings,
  composeEmail,
  pad,
  product,
  section,
  SITE,
  social,
  text,
  wide,
} from './builders.ts';

const centeredStyle = { align: 'center' } as const;

export const SHOP: TemplateDefinition[] = [
  {
    id: 'sale',
    purpose: 'promotion',
    create: (texts) => {
      const names = ['mug', 'plant', 'candle', 'lamp'];
      const goods = texts.sale.products.map(([name = '', price = '', old = ''], i) =>
        product(names[i] ?? 'mug', texts.sale.alts[i] ?? name, {
          name,
          price,
          oldPrice: old,
          label: texts.shopNow,
        }),
      );
      return composeEmail(
        templateSettings(
          { background: '#f3e6d8', accent: '#a8391f', heading: '#5a2114' },
          { heading: 'DM Serif Display', text: 'DM Sans', weight: 400, sizes: [44, 28, 20] },
        ),
        [
          section([logo()], { background: '#f3e6d8', padding: pad(0) }),
          section(
            [
              text(texts.sale.label, { ...centeredStyle, weight: 700, size: 14, color: '#ffd9a8' }),
              h1(texts.sale.heading, { ...centeredStyle, color: '#ffffff' }),
              text(texts.sale.intro, { ...centeredStyle, color: '#ffe9da' }),
              button(texts.sale.button, centeredStyle, { background: '#ffffff', color: '#a8391f' }),
            ],
            { background: '#a8391f', padding: pad(36, 0) },
          ),
          columns([goods.slice(0, 1), goods.slice(1, 2)], { padding: pad(20, 0, 8) }),
          columns([goods.slice(2, 3), goods.slice(3, 4)], { padding: pad(8, 0, 20) }),
          section([text(texts.sale.note, { ...centeredStyle, size: 14 })]),
          ending(texts.why, texts, { background: '#f3e6d8' }),
        ],
      );
    },
  },
  {
    id: 'flash-sale',
    purpose: 'promotion',
    create: (texts) =>
      composeEmail(
        templateSettings(
          {
            background: '#17181d',
            content: '#17181d',
            accent: '#ffde3b',
            onAccent: '#17181d',
            heading: '#ffffff',
            text: '#d5d6dc',
          },
          { heading: 'Anton', text: 'Arial', weight: 400, sizes: [64, 30, 20] },
        ),
        [
          section(
            [
              logo({ color: '#ffffff' }),
              text(texts.flash.label, { ...centeredStyle, color: '#ffde3b', weight: 700 }),
              h1(texts.flash.heading, { ...centeredStyle, line_height: 1.1 }),
              text(texts.flash.body, { ...centeredStyle, size: 18 }),
              button(texts.flash.button, { ...centeredStyle, size: 18 }, { radius: 0 }),
              text(texts.flash.note, { ...centeredStyle, size: 13, color: '#9b9da8' }),
            ],
            { padding: pad(24, 0, 36) },
          ),
          ending(texts.why, texts),
        ],
      ),
  },
  {
    id: 'coupon',
    purpose: 'promotion',
    create: (texts) =>
      composeEmail(
        templateSettings(
          { background: '#dfe9e4', accent: '#2f6f62', heading: '#1f4a41' },
          { heading: 'Quicksand', text: 'Nunito', sizes: [34, 26, 20] },
        ),
        [
          section([logo()], { background: '#dfe9e4', padding: pad(0) }),
          section([wide('gifts', texts.coupon.alt)], { padding: pad(0) }),
          section(
            [
              h1(texts.coupon.heading, centeredStyle),
              text(texts.coupon.body, centeredStyle),
              createBlock('coupon', {
                title: texts.coupon.title,
                code: 'HELLO15',
                html: `<p>${texts.coupon.terms}</p>`,
                href: SITE,
                label: texts.coupon.button,
                style: {
                  align: 'center',
                  border: { width: 2, style: 'dashed', color: '#2f6f62' },
                  radius: 12,
                },
              }),
            ],
            { padding: pad(20, 0, 28) },
          ),
          ending(texts.why, texts, { background: '#dfe9e4' }),
        ],
      ),
  },
  {
    id: 'lookbook',
    purpose: 'promotion',
    create: (texts) =>
      composeEmail(
        templateSettings(
          {
            background: '#ffffff',
            content: '#ffffff',
            accent: '#1d1d1b',
            heading: '#1d1d1b',
            text: '#55554f',
          },
          { heading: 'Josefin Sans', text: 'Josefin Sans', weight: 600, sizes: [40, 24, 20] },
        ),
        [
          section([
            logo(),
            h1(texts.lookbook.heading, centeredStyle),
            text(texts.lookbook.intro, { ...centeredStyle, size: 18 }),
          ]),
          section(
            [
              art('shirt', texts.lookbook.alts[0] ?? ''),
              h2(texts.lookbook.one, { ...centeredStyle, size: 20 }),
            ],
            {
              padding: pad(8, 0),
            },
          ),
          columns(
            [
              [
                art('bag', texts.lookbook.alts[1] ?? ''),
                h2(texts.lookbook.two, { ...centeredStyle, size: 20 }),
              ],
              [
                art('notebook', texts.lookbook.alts[2] ?? ''),
                h2(texts.lookbook.three, { ...centeredStyle, size: 20 }),
              ],
            ],
            { padding: pad(8, 0) },
          ),
          section([
            gap(8),
            button(texts.lookbook.button, centeredStyle, { radius: 0 }),
            gap(16),
            social('dark-sign'),
          ]),
          ending(texts.why, texts),
        ],
      ),
  },
  {
    id: 'order-shipped',
    purpose: 'store',
    create: (texts) =>
      composeEmail(
        templateSettings(
          { background: '#e3ecf7', accent: '#3b4fe4' },
          { text: 'Figtree', heading: 'Figtree', sizes: [34, 22, 17] },
        ),
        [
          section([logo({ align: 'start' })], { background: '#e3ecf7', padding: pad(0) }),
          section([wide('parcel', texts.shipped.alt)], { padding: pad(0) }),
          section([
            text(texts.shipped.label, {
              size: 14,
              weight: 600,
              color: '#5b606b',
              padding: pad(12, 32, 0),
            }),
            h1(texts.shipped.heading),
            text(texts.shipped.body),
            button(texts.shipped.button),
          ]),
          columns([
            [h2(texts.shipped.toLabel, { size: 17 }), text(texts.shipped.to, { size: 15 })],
            [h2(texts.shipped.byLabel, { size: 17 }), text(texts.shipped.by, { size: 15 })],
          ]),
          section([divider(), text(texts.shipped.help, { size: 14 })], { padding: pad(0, 0, 20) }),
          ending(texts.whyOrder, texts, { background: '#e3ecf7' }),
        ],
      ),
  },
  {
    id: 'receipt',
    purpose: 'store',
    create: (texts) =>
      composeEmail(
        templateSettings(
          { background: '#f4f4f2', accent: '#1b7f4b' },
          {},
          {
            text: { font: 'Arial', size: 15, line_height: 1.5, color: '#33363d' },
          },
        ),
        [
          section([logo({ align: 'start' })], { padding: pad(0) }),
          section([h1(texts.receipt.heading, { size: 28 }), text(texts.receipt.body)]),
          section(
            [
              createBlock('table', {
                rows: texts.receipt.rows,
                aligns: ['start', 'end'],
                has_header: true,
              }),
            ],
            { padding: pad(4, 0) },
          ),
          section([button(texts.receipt.button), text(texts.receipt.help, { size: 14 })], {
            padding: pad(8, 0, 24),
          }),
          ending(texts.whyOrder, texts, { background: '#f4f4f2' }),
        ],
      ),
  },
  {
    id: 'spring',
    purpose: 'season',
    create: (texts) => {
      const names = ['plant', 'bottle', 'bowl'];
      return composeEmail(
        templateSettings(
          { background: '#f8dfe6', accent: '#a63a5f', heading: '#5c2238' },
          { heading: 'Fraunces', text: 'Mulish', weight: 600, sizes: [40, 24, 18] },
        ),
        [
          section([wide('blossom', texts.spring.alt)], { padding: pad(0) }),
          section(
            [
              h1(texts.spring.heading, centeredStyle),
              text(texts.spring.body, centeredStyle),
              button(texts.spring.button, centeredStyle),
            ],
            { padding: pad(20, 0, 16) },
          ),
          columns(
            texts.spring.products.map(([name = '', price = ''], i) => [
              product(names[i] ?? 'plant', texts.spring.alts[i] ?? name, { name, price }),
            ]),
            { padding: pad(8, 0, 20), gap: 16 },
          ),
          ending(texts.why, texts, { background: '#f8dfe6' }),
        ],
      );
    },
  },
  {
    id: 'birthday',
    purpose: 'season',
    create: (texts) =>
      composeEmail(
        templateSettings(
          { background: '#fde4e1', accent: '#7b2d5b', heading: '#7b2d5b' },
          { heading: 'Pacifico', text: 'Poppins', weight: 400, sizes: [38, 26, 20] },
        ),
        [
          section([wide('cake', texts.birthday.alt)], { padding: pad(0) }),
          section(
            [
              h1(texts.birthday.heading, { ...centeredStyle, line_height: 1.5 }),
              text(texts.birthday.body, centeredStyle),
            ],
            { padding: pad(20, 0, 8) },
          ),
          cards(
            [
              [
                createBlock('coupon', {
                  title: texts.birthday.title,
                  code: 'BIRTHDAY10',
                  html: `<p>${texts.birthday.terms}</p>`,
                  href: SITE,
                  label: texts.birthday.button,
                  style: { align: 'center' },
                }),
              ],
            ],
            '#fdf1ef',
            { padding: pad(8, 0, 32) },
          ),
          ending(texts.why, texts, { background: '#fde4e1' }),
        ],
      ),
  },
  {
    id: 'holiday',
    purpose: 'season',
    create: (texts) =>
      composeEmail(
        templateSettings(
          { background: '#c9dcea', accent: '#2f5d62', heading: '#1f3f4a' },
          { heading: 'Libre Baskerville', text: 'Lato', sizes: [32, 24, 19] },
        ),
        [
          section([wide('winter', texts.holiday.alt)], { padding: pad(0) }),
          section(
            [
              h1(texts.holiday.heading, centeredStyle),
              text(texts.holiday.body, { ...centeredStyle, size: 17 }),
              text(texts.holiday.sign, centeredStyle),
              gap(8),
              social('dark-sign'),
            ],
            { padding: pad(24, 0) },
          ),
          ending(texts.why, texts, { background: '#c9dcea' }),
        ],
      ),
  },
  {
    id: 're-engagement',
    purpose: 'feedback',
    create: (texts) =>
      composeEmail(
        templateSettings(
          { background: '#d7ecf3', accent: '#1f6f88', heading: '#173f4d' },
          { heading: 'Spectral', text: 'Source Sans 3', weight: 600, sizes: [38, 24, 19] },
        ),
        [
          section([wide('sea', texts.miss.alt)], { padding: pad(0) }),
          section(
            [
              h1(texts.miss.heading),
              text(texts.miss.body),
              button(texts.miss.stay),
              text(texts.miss.note, { size: 14 }),
            ],
            { padding: pad(20, 0, 28) },
          ),
          ending(texts.why, texts, { background: '#d7ecf3' }),
        ],
      ),
  },
  {
    id: 'survey',
    purpose: 'feedback',
    create: (texts) =>
      composeEmail(
        templateSettings(
          { background: '#ece8fb', accent: '#5b3fc4', heading: '#2c1f66' },
          { text: 'Manrope', heading: 'Manrope', weight: 800, sizes: [36, 24, 18] },
        ),
        [
          section([logo()], { background: '#ece8fb', padding: pad(0) }),
          section(
            [
              h1(texts.survey.heading),
              text(texts.survey.body),
              text(list(texts.survey.points)),
              button(texts.survey.button),
              divider('#e2dcf5'),
              text(texts.survey.thanks, { size: 14 }),
            ],
            { padding: pad(24, 0), radius: 14 },
          ),
          ending(texts.why, texts, { background: '#ece8fb' }),
        ],
      ),
  },
  {
    id: 'feedback',
    purpose: 'feedback',
    create: (texts) =>
      composeEmail(
        templateSettings(
          { background: '#f2f3f7', accent: '#2457c5' },
          { text: 'Inter', heading: 'Inter' },
        ),
        [
          section([logo()], { background: '#f2f3f7', padding: pad(0) }),
          section(
            [
              h1(texts.nps.heading, { ...centeredStyle, size: 28 }),
              text(texts.nps.body, centeredStyle),
            ],
            {
              padding: pad(24, 0, 0),
            },
          ),
          section(
            [
              createBlock('menu', {
                items: texts.numbers.map((label, i) => ({
                  label,
                  href: `${SITE}?score=${i + 1}`,
                })),
                gap: 20,
                style: { align: 'center', size: 20, weight: 700, color: '#2457c5' },
              }),
            ],
            { padding: pad(0) },
          ),
          columns(
            [
              [text(texts.nps.least, { size: 13, align: 'start' })],
              [text(texts.nps.most, { size: 13, align: 'end' })],
            ],
            { stacking: 'keep', padding: pad(0, 104), mobile_padding: pad(0) },
          ),
          section([divider(), text(texts.nps.note, { ...centeredStyle, size: 14 })], {
            padding: pad(0, 0, 20),
          }),
          ending(texts.why, texts, { background: '#f2f3f7' }),
        ],
      ),
  },
];
