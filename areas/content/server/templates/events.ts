// Templates for welcome emails, events, webinars and reservations.
import { createBlock } from '../../document-factory.ts';
import type { TemplateDefinition } from './all.ts';
import {
  art,
  button,
  cards,
  columns,
  divider,
  ending,
  figure,
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

const centeredStyle = { align: 'center' } as const;

export const EVENTS: TemplateDefinition[] = [
  {
    id: 'welcome',
    purpose: 'welcome',
    create: (texts) =>
      composeEmail(
        templateSettings(
          { background: '#d8e4dc', accent: '#35624a', heading: '#20392c' },
          { heading: 'Lora', text: 'Nunito Sans', sizes: [38, 24, 19] },
        ),
        [
          section([logo()], { background: '#d8e4dc', padding: pad(0) }),
          section([wide('doors', texts.welcome.alt)], { padding: pad(0) }),
          section(
            [h1(texts.welcome.heading), text(texts.welcome.body), button(texts.welcome.button)],
            {
              padding: pad(20, 0),
            },
          ),
          section([divider('#dde7e0'), h2(texts.welcome.later)], { padding: pad(0) }),
          columns(
            texts.welcome.items.map(([title = '', body = '']) => [
              h3(`<a href="${SITE}">${title}</a>`),
              text(body, { size: 14 }),
            ]),
            { padding: pad(4, 0, 20) },
          ),
          section([social('dark')], { padding: pad(0), background: '#d8e4dc' }),
          ending(texts.why, texts, { background: '#d8e4dc' }),
        ],
      ),
  },
  {
    id: 'welcome-steps',
    purpose: 'welcome',
    create: (texts) =>
      composeEmail(
        templateSettings(
          { background: '#f0f1fb', accent: '#4656c9', heading: '#1f2566' },
          {
            text: 'Plus Jakarta Sans',
            heading: 'Plus Jakarta Sans',
            weight: 800,
            sizes: [34, 19, 17],
          },
        ),
        [
          section([logo({ align: 'start' })], { background: '#f0f1fb', padding: pad(0) }),
          section([h1(texts.steps.heading), text(texts.steps.intro)], { padding: pad(20, 0, 8) }),
          ...texts.steps.steps.map(([number = '', title = '', body = '']) =>
            columns(
              [
                [
                  figure(number, 34, {
                    font: 'Plus Jakarta Sans',
                    align: 'center',
                    color: '#4656c9',
                    padding: pad(4, 0, 0, 28),
                  }),
                ],
                [
                  h2(title, { padding: pad(6, 32, 0, 0) }),
                  text(body, { padding: pad(2, 32, 8, 0), size: 15 }),
                ],
              ],
              { ratios: [1, 6], stacking: 'keep', gap: 8, padding: pad(6, 0) },
            ),
          ),
          section([button(texts.steps.button), text(texts.steps.help, { size: 14 })], {
            padding: pad(8, 0, 24),
          }),
          ending(texts.why, texts, { background: '#f0f1fb' }),
        ],
      ),
  },
  {
    id: 'event-invitation',
    purpose: 'event',
    create: (texts) =>
      composeEmail(
        templateSettings(
          { background: '#1f2140', content: '#ffffff', accent: '#c9481a', heading: '#1f2140' },
          { heading: 'Playfair Display', text: 'Work Sans', sizes: [42, 26, 16] },
        ),
        [
          section([wide('stage', texts.event.alt)], { padding: pad(0) }),
          section(
            [
              text(texts.event.label, {
                ...centeredStyle,
                weight: 700,
                size: 14,
                color: '#c9481a',
              }),
              h1(texts.event.heading, centeredStyle),
              text(texts.event.intro, { ...centeredStyle, size: 17 }),
            ],
            { padding: pad(24, 0, 8) },
          ),
          cards(
            [
              [
                h2(texts.event.whenLabel, { ...centeredStyle, size: 16 }),
                text(texts.event.when, centeredStyle),
              ],
              [
                h2(texts.event.whereLabel, { ...centeredStyle, size: 16 }),
                text(texts.event.where, centeredStyle),
              ],
            ],
            '#f2f2f8',
          ),
          section([
            h2(texts.event.program),
            createBlock('table', {
              rows: texts.event.rows,
              aligns: ['start', 'start'],
              has_header: false,
            }),
            button(texts.event.button, centeredStyle),
            text(texts.event.note, { ...centeredStyle, size: 14 }),
          ]),
          ending(texts.why, texts, { background: '#1f2140' }),
        ],
      ),
  },
  {
    id: 'webinar',
    purpose: 'event',
    create: (texts) => {
      const faces = ['anna', 'omar', 'mei'];
      return composeEmail(
        templateSettings(
          { background: '#e6e9fb', accent: '#4656c9', heading: '#1f2566' },
          { text: 'Rubik', heading: 'Rubik', sizes: [36, 22, 16] },
        ),
        [
          section([logo()], { background: '#e6e9fb', padding: pad(0) }),
          section([wide('screen', texts.webinar.alt)], { padding: pad(0) }),
          section(
            [
              text(texts.webinar.label, {
                size: 14,
                weight: 500,
                color: '#4656c9',
                padding: pad(12, 32, 0),
              }),
              h1(texts.webinar.heading),
              text(texts.webinar.intro),
              text(`<strong>${texts.webinar.when}</strong>`, { size: 17 }),
              button(texts.webinar.button),
            ],
            { padding: pad(12, 0) },
          ),
          section(
            [h2(texts.webinar.learn), text(list(texts.webinar.items)), h2(texts.webinar.speakers)],
            {
              padding: pad(0),
            },
          ),
          columns(
            texts.webinar.people.map(([name = '', about = ''], i) => [
              art(faces[i] ?? 'anna', name, { radius: 90 }, 80),
              h3(name, centeredStyle),
              text(about, { ...centeredStyle, size: 13 }),
            ]),
            { padding: pad(8, 0) },
          ),
          section([divider(), text(texts.webinar.note, { ...centeredStyle, size: 14 })], {
            padding: pad(0, 0, 16),
          }),
          ending(texts.why, texts, { background: '#e6e9fb' }),
        ],
      );
    },
  },
  {
    id: 'restaurant',
    purpose: 'event',
    create: (texts) =>
      composeEmail(
        templateSettings(
          {
            background: '#efe3d3',
            content: '#fffaf2',
            accent: '#8a3f1d',
            heading: '#3f2a1c',
            text: '#54443a',
          },
          { heading: 'Cormorant Garamond', text: 'EB Garamond', weight: 600, sizes: [44, 26, 20] },
          { text: { font: 'EB Garamond', size: 18, line_height: 1.5, color: '#54443a' } },
        ),
        [
          section([logo()], { padding: pad(0) }),
          section([wide('table', texts.restaurant.alt)], { padding: pad(0) }),
          section(
            [
              h1(texts.restaurant.heading, centeredStyle),
              text(texts.restaurant.intro, centeredStyle),
            ],
            {
              padding: pad(20, 0, 4),
            },
          ),
          section([
            createBlock('table', {
              rows: texts.restaurant.dishes,
              aligns: ['start', 'end'],
              has_header: false,
              line: { width: 1, style: 'dotted', color: '#c9b39c' },
            }),
            button(texts.restaurant.button, centeredStyle, { radius: 0 }),
            text(texts.restaurant.hours, { ...centeredStyle, size: 15 }),
          ]),
          ending(texts.why, texts, { background: '#efe3d3' }),
        ],
      ),
  },
];
