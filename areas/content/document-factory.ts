// Creates documents, sections and blocks with default values, and copies with new ids. Callers
// supply strings in the language of the editor or template.
import type {
  Block,
  BlockOf,
  BlockType,
  Border,
  SectionColumn,
  EmailDocument,
  EmailSettings,
  Padding,
  DocumentImage,
  Section,
} from './document.ts';
import { DOCUMENT_VERSION } from './document.ts';

const ID_CHARACTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Creates a short random id, which is unlikely to collide within a document. */
export function createNodeId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(10));
  return Array.from(bytes, (byte) => ID_CHARACTERS[byte % ID_CHARACTERS.length]).join('');
}

/** Builds padding from two numbers (vertical, horizontal) or from four, starting at the top. */
export function pad(y: number, x: number = y, bottom: number = y, start: number = x): Padding {
  return { top: y, end: x, bottom, start };
}

export const NO_PICTURE: DocumentImage = { src: '', alt: '', width: null, height: null };
const HAIRLINE: Border = { width: 1, style: 'solid', color: '#e4e4e0' };

export const DEFAULT_SETTINGS: EmailSettings = {
  width: 600,
  direction: 'auto',
  preheader: '',
  background: '#f4f4f2',
  content_background: '#ffffff',
  text: { font: 'Arial', size: 16, line_height: 1.55, color: '#33363d' },
  heading: { font: 'Arial', weight: 700, line_height: 1.25, color: '#1b1d22', sizes: [32, 24, 18] },
  link: { color: '#3b4fe4', is_underlined: true },
  button: {
    font: 'Arial',
    size: 16,
    weight: 700,
    background: '#3b4fe4',
    color: '#ffffff',
    radius: 6,
    padding_x: 28,
    padding_y: 14,
  },
  gutter: 32,
  dark: {
    background: '#131416',
    content_background: '#1a1b1e',
    text: '#d9dbe0',
    heading: '#ffffff',
    link: '#8c9aff',
    button_background: '#8c9aff',
    button_text: '#10122b',
  },
};

const BLANK = { id: '', style: {}, mobile: {}, dark: {}, hide_on: null };

const BLOCKS: { [T in BlockType]: BlockOf<T> } = {
  heading: { ...BLANK, type: 'heading', level: 2, html: '' },
  text: { ...BLANK, type: 'text', html: '' },
  image: { ...BLANK, type: 'image', image: NO_PICTURE, href: '', width: 100 },
  button: { ...BLANK, type: 'button', style: { align: 'start' }, label: '', href: '', button: {} },
  divider: { ...BLANK, type: 'divider', line: HAIRLINE, width: 100 },
  spacer: { ...BLANK, type: 'spacer', height: 24, mobile_height: null },
  social: {
    ...BLANK,
    type: 'social',
    style: { align: 'center' },
    links: [
      { network: 'instagram', href: '' },
      { network: 'facebook', href: '' },
      { network: 'youtube', href: '' },
    ],
    look: 'dark',
    shape: 'round',
    icon_size: 32,
    gap: 12,
  },
  menu: { ...BLANK, type: 'menu', style: { align: 'center' }, items: [], separator: '', gap: 24 },
  video: { ...BLANK, type: 'video', href: '', poster: NO_PICTURE, width: 100 },
  product: {
    ...BLANK,
    type: 'product',
    layout: 'stacked',
    image: NO_PICTURE,
    name: '',
    price: '',
    old_price: '',
    html: '',
    href: '',
    label: '',
    button: {},
  },
  coupon: {
    ...BLANK,
    type: 'coupon',
    style: { align: 'center', border: { width: 2, style: 'dashed', color: '#3b4fe4' }, radius: 8 },
    title: '',
    code: '',
    html: '',
    href: '',
    label: '',
    button: {},
  },
  event: {
    ...BLANK,
    type: 'event',
    style: { align: 'center', border: HAIRLINE, radius: 8 },
    title: '',
    starts: '',
    ends: '',
    zone: 'UTC',
    place: '',
  },
  countdown: {
    ...BLANK,
    type: 'countdown',
    ends: '',
    zone: 'UTC',
    ended: '',
    href: '',
    width: 80,
    digits: '#ffffff',
    boxes: '#1b1d22',
  },
  html: { ...BLANK, type: 'html', html: '' },
  table: {
    ...BLANK,
    type: 'table',
    rows: [
      ['', ''],
      ['', ''],
    ],
    has_header: true,
    aligns: ['start', 'end'],
    is_striped: false,
    line: HAIRLINE,
  },
  header: {
    ...BLANK,
    type: 'header',
    style: { align: 'center' },
    image: NO_PICTURE,
    href: '',
    width: 160,
  },
  footer: {
    ...BLANK,
    type: 'footer',
    style: { align: 'center', size: 12 },
    html: '',
    has_address: true,
    unsubscribe_label: '',
    browser_label: '',
  },
};

type BlockOverrides<T extends BlockType> = Partial<Omit<BlockOf<T>, 'type'>>;

/** Creates a block of this type with default properties, except for `overrides`. */
export function createBlock<T extends BlockType>(
  type: T,
  overrides: BlockOverrides<T> = {},
): BlockOf<T> {
  return structuredClone({ ...BLOCKS[type], id: createNodeId(), ...overrides });
}

export function createColumn(
  blocks: Block[] = [],
  overrides: Partial<SectionColumn> = {},
): SectionColumn {
  return {
    id: createNodeId(),
    ratio: 1,
    background: null,
    padding: pad(0),
    radius: 0,
    vertical: 'top',
    blocks,
    ...overrides,
  };
}

/** Creates a section with one column per list of blocks; `ratios` has the same length. */
export function createSection(
  columns: Block[][] = [[]],
  overrides: Partial<Omit<Section, 'columns'>> & { ratios?: number[] } = {},
): Section {
  const { ratios, ...rest } = overrides;
  return {
    id: createNodeId(),
    columns: columns.map((blocks, i) => createColumn(blocks, { ratio: ratios?.[i] ?? 1 })),
    background: null,
    outer_background: null,
    background_image: null,
    padding: pad(12, 0),
    border: null,
    radius: 0,
    gap: 24,
    stacking: 'stack',
    mobile_padding: null,
    hide_on: null,
    dark: {},
    condition: null,
    ...rest,
  };
}

export function createEmailDocument(
  sections: Section[] = [],
  settings: Partial<EmailSettings> = {},
): EmailDocument {
  return {
    version: DOCUMENT_VERSION,
    settings: { ...structuredClone(DEFAULT_SETTINGS), ...settings },
    sections,
  };
}

export function copyBlock<T extends Block>(block: T): T {
  return { ...structuredClone(block), id: createNodeId() };
}

export function copySection(section: Section): Section {
  const copy = structuredClone(section);
  return {
    ...copy,
    id: createNodeId(),
    columns: copy.columns.map((column) => ({
      ...column,
      id: createNodeId(),
      blocks: column.blocks.map(copyBlock),
    })),
  };
}
