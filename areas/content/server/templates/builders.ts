// Helpers that keep template definitions short. Ids are consecutive numbers, so that every build of
// a template is identical.
import type {
  Block,
  BlockStyle,
  ButtonStyle,
  Color,
  EmailDocument,
  EmailSettings,
  Section,
} from '../../document.ts';
import {
  DEFAULT_SETTINGS,
  createBlock,
  createColumn,
  createEmailDocument,
  createSection,
  pad,
} from '../../document-factory.ts';
import type { OwnPick } from '../../shop-names.ts';
import { createArtImage } from '../art/art.ts';

export { pad };

/** Placeholder target of a template's links. */
export const SITE = 'https://example.com/';

export const h1 = (html: string, style: BlockStyle = {}): Block =>
  createBlock('heading', { level: 1, html, style });
export const h2 = (html: string, style: BlockStyle = {}): Block =>
  createBlock('heading', { level: 2, html, style });
export const h3 = (html: string, style: BlockStyle = {}): Block =>
  createBlock('heading', { level: 3, html, style });

/**
 * Creates a large number that looks like a heading but is a text block, because screen readers
 * present headings as the outline of the email.
 */
export const figure = (label: string, size: number, style: BlockStyle = {}): Block =>
  createBlock('text', {
    html: `<p>${label}</p>`,
    style: { size, weight: 800, line_height: 1.25, ...style },
  });

/** Creates a text block. Each string becomes a paragraph unless it begins with a tag. */
export function text(content: string | string[], style: BlockStyle = {}): Block {
  const html = [content]
    .flat()
    .map((paragraph) => (paragraph.startsWith('<') ? paragraph : `<p>${paragraph}</p>`))
    .join('');
  return createBlock('text', { html, style });
}

export const list = (items: string[]): string =>
  `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`;

export const button = (
  label: string,
  style: BlockStyle = {},
  buttonStyle: ButtonStyle = {},
): Block =>
  createBlock('button', {
    label,
    href: SITE,
    style: { align: 'start', ...style },
    button: buttonStyle,
  });

/** @param name name of an image in art-scenes.ts or art-things.ts */
export const art = (name: string, alt: string, style: BlockStyle = {}, width = 100): Block =>
  createBlock('image', { image: createArtImage(name, alt), style, width });
/** Creates a full-width image. */
export const wide = (name: string, alt: string): Block => art(name, alt, { padding: pad(0) });

export const logo = (style: BlockStyle = {}): Block =>
  createBlock('header', { style: { align: 'center', ...style } });
export const divider = (color: Color = '#e4e4e0', style: BlockStyle = {}, width = 100): Block =>
  createBlock('divider', { line: { width: 1, style: 'solid', color }, style, width });
export const gap = (height: number): Block => createBlock('spacer', { height });

export const social = (
  iconStyle: 'dark' | 'light' | 'brand' | 'dark-sign' | 'light-sign' = 'dark',
): Block =>
  createBlock('social', {
    look: iconStyle,
    links: [
      { network: 'instagram', href: 'https://instagram.com/' },
      { network: 'facebook', href: 'https://facebook.com/' },
      { network: 'youtube', href: 'https://youtube.com/' },
    ],
  });

export function product(
  name: string,
  alt: string,
  texts: { name: string; price: string; oldPrice?: string; text?: string; label?: string },
  layout: 'stacked' | 'beside' = 'stacked',
): Block {
  return createBlock('product', {
    layout,
    image: createArtImage(name, alt),
    name: texts.name,
    price: texts.price,
    old_price: texts.oldPrice ?? '',
    html: texts.text ? `<p>${texts.text}</p>` : '',
    href: SITE,
    label: texts.label ?? '',
  });
}

/** Background, accent and heading color of a store's emails. */
export const SHOP_PALETTE = ['#efe5da', '#7a4a32', '#3e2618'] as const;
const MAX_PICKED = 3;

/**
 * Creates one section per product. Recipients who have fewer products do not see the further
 * sections.
 */
export const pickedProducts = (pick: OwnPick): Section[] =>
  Array.from({ length: MAX_PICKED }, () =>
    section([createBlock('product', { layout: 'beside', pick, if_none: 'hide' })], {
      padding: pad(0),
    }),
  );

type SectionLayout = Partial<Omit<Section, 'columns'>>;

export const section = (blocks: Block[], layout: SectionLayout = {}): Section =>
  createSection([blocks], layout);
export const columns = (
  lists: Block[][],
  layout: SectionLayout & { ratios?: number[] } = {},
): Section => createSection(lists, layout);

/** Columns with their own background. */
export function cards(lists: Block[][], background: Color, layout: SectionLayout = {}): Section {
  const section = createSection([], { gap: 20, ...layout });
  section.columns = lists.map((blocks) =>
    createColumn(blocks, { background, radius: 10, padding: pad(16, 20) }),
  );
  return section;
}

/**
 * Creates a footer with the reason for the email, the address, and links to unsubscribe,
 * preferences and the web version.
 */
export const ending = (
  reason: string,
  { view, preferences }: { view: string; preferences: string },
  layout: SectionLayout = {},
): Section =>
  section(
    [
      createBlock('footer', {
        html: `<p>${reason}</p>`,
        browser_label: view,
        preferences_label: preferences,
        style: { align: 'center', size: 12 },
      }),
    ],
    layout,
  );

type TemplatePalette = {
  background: Color;
  content?: Color;
  text?: Color;
  heading?: Color;
  accent: Color;
  onAccent?: Color;
};
type Fonts = { text?: string; heading?: string; weight?: number; sizes?: [number, number, number] };

/** Settings from a few colors and fonts. */
export function templateSettings(
  palette: TemplatePalette,
  fonts: Fonts = {},
  overrides: Partial<EmailSettings> = {},
): EmailSettings {
  const defaults = DEFAULT_SETTINGS;
  return {
    ...structuredClone(defaults),
    background: palette.background,
    content_background: palette.content ?? '#ffffff',
    text: {
      ...defaults.text,
      font: fonts.text ?? 'Arial',
      color: palette.text ?? defaults.text.color,
    },
    heading: {
      ...defaults.heading,
      font: fonts.heading ?? fonts.text ?? 'Arial',
      weight: fonts.weight ?? 700,
      color: palette.heading ?? defaults.heading.color,
      sizes: fonts.sizes ?? defaults.heading.sizes,
    },
    link: { color: palette.accent, is_underlined: true },
    button: {
      ...defaults.button,
      font: fonts.text ?? 'Arial',
      background: palette.accent,
      color: palette.onAccent ?? '#ffffff',
    },
    ...overrides,
  };
}

export function composeEmail(settings: EmailSettings, sections: Section[]): EmailDocument {
  return assignCountedIds(createEmailDocument(sections, settings));
}

function assignCountedIds(document: EmailDocument): EmailDocument {
  let count = 0;
  const id = () => `n${++count}`;
  return {
    ...document,
    sections: document.sections.map((section) => ({
      ...section,
      id: id(),
      columns: section.columns.map((column) => ({
        ...column,
        id: id(),
        blocks: column.blocks.map((block) => ({ ...block, id: id() })),
      })),
    })),
  };
}
