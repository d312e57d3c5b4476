// Templates of transactional emails. The API call that sends the email contains the values of their
// merge tags, such as `{{ order_number }}`. A table row is repeated for each item of a list in the
// call.
import { createBlock } from '../../document-factory.ts';
import type { Block } from '../../document.ts';
import type { TemplateDefinition } from './all.ts';
import {
  button,
  composeEmail,
  divider,
  figure,
  h1,
  logo,
  pad,
  section,
  templateSettings,
  text,
} from './builders.ts';
import type { TemplateTexts } from './template-texts.ts';

type TransactionalTexts = TemplateTexts['transactional'];

const BACKGROUND = '#f4f4f2';
const MUTED = '#6b6f76';

/** Creates a button whose URL is a value of the API call. */
const linkButton = (label: string, name: string): Block =>
  ({ ...button(label), href: `{{ ${name} }}` }) as Block;

const createNote = (content: string): Block => text(content, { size: 14, color: MUTED });

/** Creates a table with one row for each of the call's `items`, and with fixed rows below. */
const lines = (header: string[], rows: string[][]): Block =>
  createBlock('table', {
    rows: [header, ['{{ item.title }}', '{{ item.quantity }}', '{{ item.price }}'], ...rows],
    aligns: ['start', 'end', 'end'],
    has_header: true,
    each: 'items',
  });

const pairs = (rows: string[][]): Block =>
  createBlock('table', { rows, aligns: ['start', 'end'], has_header: false });

const strong = (content: string) => `<strong>${content}</strong>`;

/** Creates one white card: logo, heading, paragraphs, blocks, and the sender's name below. */
function card(
  texts: TransactionalTexts,
  parts: { heading: string; body: string },
  blocks: Block[],
) {
  return composeEmail(
    templateSettings(
      { background: BACKGROUND, accent: '#1f5fa8' },
      { sizes: [26, 21, 17] },
      { text: { font: 'Arial', size: 15, line_height: 1.5, color: '#33363d' } },
    ),
    [
      section([logo({ align: 'start' })], { padding: pad(0) }),
      section([h1(parts.heading), text([texts.hello, parts.body]), ...blocks], {
        padding: pad(16, 0, 24),
      }),
      section([divider(), text([texts.help, texts.sender], { size: 13, color: MUTED })], {
        padding: pad(0, 0, 20),
      }),
    ],
  );
}

type CardBuilder = (texts: TransactionalTexts) => ReturnType<typeof card>;

const CARD_BUILDERS: Record<keyof typeof SUBJECTS, CardBuilder> = {
  'tx-receipt': (texts) =>
    card(texts, texts.receipt, [
      lines(texts.receipt.columns, [
        [texts.receipt.shipping, '', '{{ shipping }}'],
        [strong(texts.receipt.total), '', strong('{{ total }}')],
      ]),
      linkButton(texts.receipt.button, 'order_link'),
    ]),
  'tx-shipping': (texts) =>
    card(texts, texts.shipping, [
      pairs([[texts.shipping.number, '{{ tracking_number }}']]),
      linkButton(texts.shipping.button, 'tracking_link'),
    ]),
  'tx-password': (texts) =>
    card(texts, texts.password, [
      linkButton(texts.password.button, 'reset_link'),
      createNote(texts.password.note),
    ]),
  'tx-code': (texts) =>
    card(texts, texts.code, [figure('{{ code }}', 40), createNote(texts.code.note)]),
  'tx-invitation': (texts) =>
    card(texts, texts.invitation, [
      linkButton(texts.invitation.button, 'invitation_link'),
      createNote(texts.invitation.note),
    ]),
  'tx-invoice': (texts) =>
    card(texts, texts.invoice, [
      lines(texts.receipt.columns, [[strong(texts.receipt.total), '', strong('{{ total }}')]]),
      linkButton(texts.invoice.button, 'payment_link'),
    ]),
  'tx-welcome': (texts) =>
    card(texts, texts.welcome, [linkButton(texts.welcome.button, 'login_link')]),
  'tx-alert': (texts) =>
    card(texts, texts.alert, [
      pairs(texts.alert.rows),
      linkButton(texts.alert.button, 'account_link'),
      createNote(texts.alert.note),
    ]),
};

const SUBJECTS = {
  'tx-receipt': 'receipt',
  'tx-shipping': 'shipping',
  'tx-password': 'password',
  'tx-code': 'code',
  'tx-invitation': 'invitation',
  'tx-invoice': 'invoice',
  'tx-welcome': 'welcome',
  'tx-alert': 'alert',
} as const;

export const TRANSACTIONAL: TemplateDefinition[] = Object.entries(CARD_BUILDERS).map(
  ([id, create]) => ({
    id,
    purpose: 'transactional',
    create: (texts) => create(texts.transactional),
    subject: (texts) => texts.transactional[SUBJECTS[id as keyof typeof SUBJECTS]].subject,
  }),
);
