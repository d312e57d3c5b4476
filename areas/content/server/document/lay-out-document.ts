// Renders documents as HTML (through MJML) and as plain text; there is no other renderer of
// documents. The output is a message source with merge tags and conditions; compile-message.ts
// compiles it for recipients.
import { LOCALE } from '#platform/languages.ts';
import { replaceSpans } from '#platform/spans.ts';
import type { EmailDocument, Section } from '../../document.ts';
import { layOutColumns, readSectionHideOn } from '../../document-layout.ts';
import { findFont, buildWebFontUrl } from '../../fonts.ts';
import {
  wrapConditional,
  type MessageCondition,
  toMessageCondition,
} from '../personalization/conditions.ts';
import { escapeHtml } from '../html/character-references.ts';
import { renderBlock } from './blocks.ts';
import { renderDocumentText } from './document-text.ts';
import {
  resolveAddress,
  formatBorder,
  formatCompanyName,
  type DocumentContext,
  createFrame,
  type EmailFrame,
  formatPadding,
  resolveSectionDark,
} from './frame.ts';
import { compileMjml } from './layout-html.ts';
import { renderPromotion } from './promotion.ts';
import { renderElement, ContentSlots } from './slots.ts';
import { joinClasses, StyleSheet } from './style-sheet.ts';

export type RenderedDocument = {
  html: string;
  text: string;
  /** Conditions of sections; markers in `html` and `text` refer to them by index. */
  conditions: MessageCondition[];
};

/** Runs on a worker thread (render-document.ts). */
export async function layOutDocument(
  document: EmailDocument,
  context: DocumentContext,
): Promise<RenderedDocument> {
  const { settings } = document;
  const isRtl =
    settings.direction === 'auto' ? context.language === 'fas' : settings.direction === 'rtl';
  const email: EmailFrame = {
    settings,
    context,
    isRtl,
    slots: new ContentSlots(),
    styleSheet: new StyleSheet(),
    fonts: new Map(),
  };
  const conditions: MessageCondition[] = [];
  const numbers = new Map<Section, number>();
  for (const section of document.sections) {
    if (section.condition === null) continue;
    numbers.set(section, conditions.push(toMessageCondition(section.condition)) - 1);
  }
  const body = document.sections.map((section) => {
    const mjml = renderSection(email, section);
    const number = numbers.get(section);
    return number === undefined ? mjml : wrapSection(email, mjml, number);
  });
  const layout = await compileMjml(createMjml(email, body.join('')));
  const promotion = email.slots.addHtml(renderPromotion(document, context));
  const head = insertHead(layout, email).replace(/<body\b[^<>]*>/, (body) => body + promotion);
  const html = email.slots.fill(head);
  const text = renderDocumentText(document.sections, context, (section, sectionText) => {
    const number = numbers.get(section);
    return number === undefined ? sectionText : wrapConditional(number, sectionText);
  });
  return { html, text, conditions };
}

/** Encloses a section in the markers of its condition, which are outside of its elements. */
function wrapSection(email: EmailFrame, mjml: string, number: number): string {
  const [open = '', close = ''] = wrapConditional(number, '\n').split('\n');
  const renderRaw = (marker: string) => renderElement('mj-raw', {}, email.slots.addMarker(marker));
  return renderRaw(open) + mjml + renderRaw(close);
}

function createMjml({ settings, context, styleSheet, isRtl }: EmailFrame, body: string): string {
  const dir = isRtl ? 'rtl' : 'ltr';
  const dark = settings.dark && styleSheet.addDarkBackground(settings.dark.background, '{},{}>div');
  const head = renderElement('mj-head', {}, renderElement('mj-breakpoint', { width: '480px' }));
  return renderElement(
    'mjml',
    { lang: LOCALE[context.language], dir },
    head +
      renderElement(
        'mj-body',
        {
          width: `${settings.width}px`,
          'background-color': settings.background,
          'css-class': dark || undefined,
        },
        body,
      ),
  );
}

function renderSection(email: EmailFrame, section: Section): string {
  const innerMjml = renderInnerSection(email, section);
  if (section.outer_background === null) return innerMjml;
  const { settings, styleSheet } = email;
  const dark =
    settings.dark &&
    styleSheet.addDarkBackground(
      section.dark.outer_background ??
        resolveSectionDark(section, settings.dark.content_background),
      '{}',
    );
  return renderElement(
    'mj-wrapper',
    {
      'full-width': 'full-width',
      'background-color': section.outer_background,
      padding: '0',
      'css-class': joinClasses(renderHiddenSection(email, section), dark ?? undefined),
    },
    innerMjml,
  );
}

function renderInnerSection(email: EmailFrame, section: Section): string {
  const { settings, isRtl } = email;
  const boxes = layOutColumns(section, settings);
  const isTurned = section.stacking === 'reverse' && section.columns.length > 1;
  const columns = section.columns.map((_, i) => renderColumn(email, section, i, boxes));
  if (isTurned) columns.reverse();
  const innerMjml = columns.join('');
  return renderElement(
    'mj-section',
    {
      'background-color':
        section.background ?? section.outer_background ?? settings.content_background,
      ...createBackgroundImage(email, section),
      padding: formatPadding(section.padding, isRtl),
      border: formatBorder(section.border),
      'border-radius': section.radius ? `${section.radius}px` : undefined,
      direction: isTurned === isRtl ? 'ltr' : 'rtl',
      'css-class': createSectionClasses(email, section),
    },
    section.stacking === 'keep' && section.columns.length > 1
      ? renderElement('mj-group', { direction: isRtl ? 'rtl' : 'ltr' }, innerMjml)
      : innerMjml,
  );
}

function createBackgroundImage(
  { slots, context }: EmailFrame,
  { background_image: image }: Section,
) {
  if (!image?.src) return {};
  return {
    'background-url': slots.addLine(resolveAddress(context, image.src)),
    'background-size': 'cover',
    'background-repeat': 'no-repeat',
    'background-position': 'center center',
  };
}

function createSectionClasses(email: EmailFrame, section: Section) {
  const { settings, styleSheet, isRtl } = email;
  const dark = settings.dark && resolveSectionDark(section, settings.dark.content_background);
  return joinClasses(
    section.outer_background === null && renderHiddenSection(email, section),
    dark !== null && styleSheet.addDarkBackground(dark, '{},{}>table'),
    section.mobile_padding !== null &&
      styleSheet.addMobileRules({
        selector: '{}>table>tbody>tr>td',
        declarations: `padding:${formatPadding(section.mobile_padding, isRtl)}!important`,
      }),
  );
}

function renderHiddenSection({ styleSheet }: EmailFrame, section: Section): string | undefined {
  const screens = readSectionHideOn(section);
  if (screens === 'mobile') {
    return styleSheet.addMobileRules({ selector: '{}', declarations: 'display:none!important' });
  }
  if (screens !== 'desktop') return undefined;
  const hidden = styleSheet.addRules({
    selector: '{},{}-outlook',
    declarations: 'display:none;mso-hide:all',
  });
  return `${hidden} ${styleSheet.addMobileRules({ selector: 'div{}', declarations: 'display:block!important' }, { selector: 'table{}', declarations: 'display:table!important' })}`;
}

function renderColumn(
  email: EmailFrame,
  section: Section,
  index: number,
  boxes: ReturnType<typeof layOutColumns>,
): string {
  const { styleSheet, isRtl } = email;
  const column = section.columns[index] as Section['columns'][number];
  const box = boxes[index] as (typeof boxes)[number];
  const totalWidth = boxes.reduce((total, box) => total + box.width, 0);
  const blocks = column.blocks.map((block) =>
    renderBlock(createFrame(email, section, column, box, block)),
  );
  const isCard = column.background !== null;
  const hasOuter = box.outer.start + box.outer.end > 0;
  const outerPadding = { top: 0, bottom: 0, ...box.outer };
  const darkCard = createFrame(email, section, column, box, PLAIN_BLOCK).darkBackground;
  const stackedRow = hasOuter && createStackedPadding(email, section, index);
  // If the column has an outer margin, the card is its inner box.
  const card = hasOuter ? 'inner-' : '';
  return renderElement(
    'mj-column',
    {
      width: `${Math.floor((box.width / totalWidth) * 10_000) / 100}%`,
      'vertical-align': column.vertical,
      direction: isRtl ? 'rtl' : 'ltr',
      padding: hasOuter ? formatPadding(outerPadding, isRtl) : undefined,
      [`${card}background-color`]: column.background ?? undefined,
      [`${card}border-radius`]: column.radius ? `${column.radius}px` : undefined,
      'css-class': joinClasses(
        stackedRow,
        isCard &&
          darkCard !== undefined &&
          styleSheet.addDarkBackground(
            darkCard,
            hasOuter ? '{}>table>tbody>tr>td>table' : '{}>table',
          ),
      ),
    },
    blocks.join(''),
  );
}

/**
 * Creates a column's padding on phones, where columns are stacked and only cards need space between
 * them.
 */
function createStackedPadding(
  { settings, styleSheet }: EmailFrame,
  { columns, stacking, gap }: Section,
  index: number,
): string | undefined {
  if (columns.length === 1 || stacking === 'keep') return undefined;
  const isCard = columns[index]?.background !== null;
  const below = index === columns.length - 1 ? 0 : Math.max(12, gap);
  return styleSheet.addMobileRules({
    selector: '{}>table>tbody>tr>td',
    declarations: isCard
      ? `padding:0 ${settings.gutter}px ${below}px!important`
      : 'padding:0!important',
  });
}

/** A block without styles, which has the background of its column. */
const PLAIN_BLOCK = {
  id: 'plain',
  type: 'text',
  style: {},
  mobile: {},
  dark: {},
  hide_on: null,
  html: '',
} as const;

/**
 * Adds what MJML does not support: web fonts served by this installation, dark mode and our
 * classes. Sets the title and makes images fluid.
 */
function insertHead(layout: string, { fonts, styleSheet, settings, context }: EmailFrame): string {
  const links = [...fonts].map(
    ([name, weights]) =>
      `<link rel="stylesheet" href="${escapeHtml(buildWebFontUrl(context.public_url, findFont(name), [...weights]))}">`,
  );
  const font = findFont(settings.text.font);
  const isWeb = font.kind === 'web';
  const head = [
    // Prevents iOS from linking numbers and dates, and Apple Mail from scaling narrow emails.
    '<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no"><meta name="x-apple-disable-message-reformatting">',
    links.length === 0 ? '' : `<!--[if !mso]><!-->${links.join('')}<!--<![endif]-->`,
    // Outlook replaces unknown fonts with Times.
    isWeb
      ? '<!--[if mso]><style>body,table,td,div,p,a,span,li,h1,h2,h3{font-family:Arial,Helvetica,sans-serif!important}</style><![endif]-->'
      : '',
    settings.dark
      ? '<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><style>:root{color-scheme:light dark;supported-color-schemes:light dark}</style>'
      : '',
    // Alternative text inherits the font of the body.
    `<style>\nbody,td{font-family:${font.stack}}\n${styleSheet.toCss()}\n</style>`,
  ];
  return makeImagesFluid(layout)
    .replace(
      /<title>[^<]*<\/title>/,
      () => `<title>${escapeHtml(formatCompanyName(context))}</title>`,
    )
    .replace('</head>', () => `${head.filter(Boolean).join('\n')}\n</head>`);
}

/**
 * Images keep their ratio through inline styles, because some clients drop style sheets. The height
 * attribute remains for clients without CSS.
 */
function makeImagesFluid(layout: string): string {
  return replaceSpans(layout, /<img\b/g, '>', ({ text }) =>
    text.replace(/(\bstyle="(?:[^"]*;)?)height:\d+px/, '$1height:auto'),
  );
}
