// Templates of sales, coupons, collections, orders, seasons and feedback.
import { newBlock } from '../../document-factory.ts';
import type { TemplateMaker } from './all.ts';
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

const centered = { align: 'center' } as const;

export const SHOP: TemplateMaker[] = [
  {
    id: 'sale',
    purpose: 'promotion',
    make: (w) => {
      const names = ['mug', 'plant', 'candle', 'lamp'];
      const goods = w.sale.products.map(([name = '', price = '', old = ''], i) =>
        product(names[i] ?? 'mug', w.sale.alts[i] ?? name, { name, price, old, label: w.shopNow }),
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
              text(w.sale.label, { ...centered, weight: 700, size: 14, color: '#ffd9a8' }),
              h1(w.sale.heading, { ...centered, color: '#ffffff' }),
              text(w.sale.intro, { ...centered, color: '#ffe9da' }),
              button(w.sale.button, centered, { background: '#ffffff', color: '#a8391f' }),
            ],
            { background: '#a8391f', padding: pad(36, 0) },
          ),
          columns([goods.slice(0, 1), goods.slice(1, 2)], { padding: pad(20, 0, 8) }),
          columns([goods.slice(2, 3), goods.slice(3, 4)], { padding: pad(8, 0, 20) }),
          section([text(w.sale.note, { ...centered, size: 14 })]),
          ending(w.why, w, { background: '#f3e6d8' }),
        ],
      );
    },
  },
  {
    id: 'flash-sale',
    purpose: 'promotion',
    make: (w) =>
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
              text(w.flash.label, { ...centered, color: '#ffde3b', weight: 700 }),
              h1(w.flash.heading, { ...centered, line_height: 1.1 }),
              text(w.flash.body, { ...centered, size: 18 }),
              button(w.flash.button, { ...centered, size: 18 }, { radius: 0 }),
              text(w.flash.note, { ...centered, size: 13, color: '#9b9da8' }),
            ],
            { padding: pad(24, 0, 36) },
          ),
          ending(w.why, w),
        ],
      ),
  },
  {
    id: 'coupon',
    purpose: 'promotion',
    make: (w) =>
      composeEmail(
        templateSettings(
          { background: '#dfe9e4', accent: '#2f6f62', heading: '#1f4a41' },
          { heading: 'Quicksand', text: 'Nunito', sizes: [34, 26, 20] },
        ),
        [
          section([logo()], { background: '#dfe9e4', padding: pad(0) }),
          section([wide('gifts', w.coupon.alt)], { padding: pad(0) }),
          section(
            [
              h1(w.coupon.heading, centered),
              text(w.coupon.body, centered),
              newBlock('coupon', {
                title: w.coupon.title,
                code: 'HELLO15',
                html: `<p>${w.coupon.terms}</p>`,
                href: SITE,
                label: w.coupon.button,
                style: {
                  align: 'center',
                  border: { width: 2, style: 'dashed', color: '#2f6f62' },
                  radius: 12,
                },
              }),
            ],
            { padding: pad(20, 0, 28) },
          ),
          ending(w.why, w, { background: '#dfe9e4' }),
        ],
      ),
  },
  {
    id: 'lookbook',
    purpose: 'promotion',
    make: (w) =>
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
            h1(w.lookbook.heading, centered),
            text(w.lookbook.intro, { ...centered, size: 18 }),
          ]),
          section(
            [art('shirt', w.lookbook.alts[0] ?? ''), h2(w.lookbook.one, { ...centered, size: 20 })],
            {
              padding: pad(8, 0),
            },
          ),
          columns(
            [
              [art('bag', w.lookbook.alts[1] ?? ''), h2(w.lookbook.two, { ...centered, size: 20 })],
              [
                art('notebook', w.lookbook.alts[2] ?? ''),
                h2(w.lookbook.three, { ...centered, size: 20 }),
              ],
            ],
            { padding: pad(8, 0) },
          ),
          section([
            gap(8),
            button(w.lookbook.button, centered, { radius: 0 }),
            gap(16),
            social('dark-sign'),
          ]),
          ending(w.why, w),
        ],
      ),
  },
  {
    id: 'order-shipped',
    purpose: 'store',
    make: (w) =>
      composeEmail(
        templateSettings(
          { background: '#e3ecf7', accent: '#3b4fe4' },
          { text: 'Figtree', heading: 'Figtree', sizes: [34, 22, 17] },
        ),
        [
          section([logo({ align: 'start' })], { background: '#e3ecf7', padding: pad(0) }),
          section([wide('parcel', w.shipped.alt)], { padding: pad(0) }),
          section([
            text(w.shipped.label, {
              size: 14,
              weight: 600,
              color: '#5b606b',
              padding: pad(12, 32, 0),
            }),
            h1(w.shipped.heading),
            text(w.shipped.body),
            button(w.shipped.button),
          ]),
          columns([
            [h2(w.shipped.toLabel, { size: 17 }), text(w.shipped.to, { size: 15 })],
            [h2(w.shipped.byLabel, { size: 17 }), text(w.shipped.by, { size: 15 })],
          ]),
          section([divider(), text(w.shipped.help, { size: 14 })], { padding: pad(0, 0, 20) }),
          ending(w.whyOrder, w, { background: '#e3ecf7' }),
        ],
      ),
  },
  {
    id: 'receipt',
    purpose: 'store',
    make: (w) =>
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
          section([h1(w.receipt.heading, { size: 28 }), text(w.receipt.body)]),
          section(
            [
              newBlock('table', {
                rows: w.receipt.rows,
                aligns: ['start', 'end'],
                has_header: true,
              }),
            ],
            { padding: pad(4, 0) },
          ),
          section([button(w.receipt.button), text(w.receipt.help, { size: 14 })], {
            padding: pad(8, 0, 24),
          }),
          ending(w.whyOrder, w, { background: '#f4f4f2' }),
        ],
      ),
  },
  {
    id: 'spring',
    purpose: 'season',
    make: (w) => {
      const names = ['plant', 'bottle', 'bowl'];
      return composeEmail(
        templateSettings(
          { background: '#f8dfe6', accent: '#a63a5f', heading: '#5c2238' },
          { heading: 'Fraunces', text: 'Mulish', weight: 600, sizes: [40, 24, 18] },
        ),
        [
          section([wide('blossom', w.spring.alt)], { padding: pad(0) }),
          section(
            [
              h1(w.spring.heading, centered),
              text(w.spring.body, centered),
              button(w.spring.button, centered),
            ],
            { padding: pad(20, 0, 16) },
          ),
          columns(
            w.spring.products.map(([name = '', price = ''], i) => [
              product(names[i] ?? 'plant', w.spring.alts[i] ?? name, { name, price }),
            ]),
            { padding: pad(8, 0, 20), gap: 16 },
          ),
          ending(w.why, w, { background: '#f8dfe6' }),
        ],
      );
    },
  },
  {
    id: 'birthday',
    purpose: 'season',
    make: (w) =>
      composeEmail(
        templateSettings(
          { background: '#fde4e1', accent: '#7b2d5b', heading: '#7b2d5b' },
          { heading: 'Pacifico', text: 'Poppins', weight: 400, sizes: [38, 26, 20] },
        ),
        [
          section([wide('cake', w.birthday.alt)], { padding: pad(0) }),
          section(
            [
              h1(w.birthday.heading, { ...centered, line_height: 1.5 }),
              text(w.birthday.body, centered),
            ],
            { padding: pad(20, 0, 8) },
          ),
          cards(
            [
              [
                newBlock('coupon', {
                  title: w.birthday.title,
                  code: 'BIRTHDAY10',
                  html: `<p>${w.birthday.terms}</p>`,
                  href: SITE,
                  label: w.birthday.button,
                  style: { align: 'center' },
                }),
              ],
            ],
            '#fdf1ef',
            { padding: pad(8, 0, 32) },
          ),
          ending(w.why, w, { background: '#fde4e1' }),
        ],
      ),
  },
  {
    id: 'holiday',
    purpose: 'season',
    make: (w) =>
      composeEmail(
        templateSettings(
          { background: '#c9dcea', accent: '#2f5d62', heading: '#1f3f4a' },
          { heading: 'Libre Baskerville', text: 'Lato', sizes: [32, 24, 19] },
        ),
        [
          section([wide('winter', w.holiday.alt)], { padding: pad(0) }),
          section(
            [
              h1(w.holiday.heading, centered),
              text(w.holiday.body, { ...centered, size: 17 }),
              text(w.holiday.sign, centered),
              gap(8),
              social('dark-sign'),
            ],
            { padding: pad(24, 0) },
          ),
          ending(w.why, w, { background: '#c9dcea' }),
        ],
      ),
  },
  {
    id: 're-engagement',
    purpose: 'feedback',
    make: (w) =>
      composeEmail(
        templateSettings(
          { background: '#d7ecf3', accent: '#1f6f88', heading: '#173f4d' },
          { heading: 'Spectral', text: 'Source Sans 3', weight: 600, sizes: [38, 24, 19] },
        ),
        [
          section([wide('sea', w.miss.alt)], { padding: pad(0) }),
          section(
            [
              h1(w.miss.heading),
              text(w.miss.body),
              button(w.miss.stay),
              text(w.miss.note, { size: 14 }),
            ],
            { padding: pad(20, 0, 28) },
          ),
          ending(w.why, w, { background: '#d7ecf3' }),
        ],
      ),
  },
  {
    id: 'survey',
    purpose: 'feedback',
    make: (w) =>
      composeEmail(
        templateSettings(
          { background: '#ece8fb', accent: '#5b3fc4', heading: '#2c1f66' },
          { text: 'Manrope', heading: 'Manrope', weight: 800, sizes: [36, 24, 18] },
        ),
        [
          section([logo()], { background: '#ece8fb', padding: pad(0) }),
          section(
            [
              h1(w.survey.heading),
              text(w.survey.body),
              text(list(w.survey.points)),
              button(w.survey.button),
              divider('#e2dcf5'),
              text(w.survey.thanks, { size: 14 }),
            ],
            { padding: pad(24, 0), radius: 14 },
          ),
          ending(w.why, w, { background: '#ece8fb' }),
        ],
      ),
  },
  {
    id: 'feedback',
    purpose: 'feedback',
    make: (w) =>
      composeEmail(
        templateSettings(
          { background: '#f2f3f7', accent: '#2457c5' },
          { text: 'Inter', heading: 'Inter' },
        ),
        [
          section([logo()], { background: '#f2f3f7', padding: pad(0) }),
          section([h1(w.nps.heading, { ...centered, size: 28 }), text(w.nps.body, centered)], {
            padding: pad(24, 0, 0),
          }),
          section(
            [
              newBlock('menu', {
                items: w.numbers.map((label, i) => ({
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
              [text(w.nps.least, { size: 13, align: 'start' })],
              [text(w.nps.most, { size: 13, align: 'end' })],
            ],
            { stacking: 'keep', padding: pad(0, 104), mobile_padding: pad(0) },
          ),
          section([divider(), text(w.nps.note, { ...centered, size: 14 })], {
            padding: pad(0, 0, 20),
          }),
          ending(w.why, w, { background: '#f2f3f7' }),
        ],
      ),
  },
];
