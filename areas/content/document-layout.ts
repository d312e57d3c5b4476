// Layout in pixels, default colors and visibility of blocks, shared by the renderer and the
// editor's canvas.
import type {
  Block,
  BlockType,
  Color,
  SectionColumn,
  HideOn,
  EmailSettings,
  Padding,
  Section,
} from './document.ts';
import { computeLuminance, mixColors, ensureContrast } from './colors.ts';

/** Default padding above and below a block, by type. */
const VERTICAL: Record<BlockType, [number, number]> = {
  heading: [12, 4],
  text: [8, 8],
  image: [8, 8],
  button: [12, 12],
  divider: [16, 16],
  spacer: [0, 0],
  social: [12, 12],
  menu: [12, 12],
  video: [8, 8],
  product: [12, 12],
  coupon: [12, 12],
  event: [12, 12],
  countdown: [12, 12],
  html: [8, 8],
  table: [8, 8],
  header: [24, 24],
  footer: [24, 24],
};

export type ColumnBox = {
  /** Width of the column including its padding and margin. */
  width: number;
  /** Margin outside the background. */
  outer: { start: number; end: number };
  /** Default padding between the edge of the background and the blocks. */
  inner: Padding;
  /** Width available to blocks before their own padding. */
  content: number;
};

/**
 * Computes the widths, gutters and gaps of a section's columns on a wide screen, in reading
 * direction. Ratios divide the width between the gutters, so that columns with the same ratio have
 * images of the same width.
 */
export function layOutColumns(section: Section, settings: EmailSettings): ColumnBox[] {
  const { columns, padding, border, gap } = section;
  const { gutter } = settings;
  const lastIndex = columns.length - 1;
  const contentWidth = settings.width - padding.start - padding.end - 2 * (border?.width ?? 0);
  const availableWidth = Math.max(columns.length, contentWidth - 2 * gutter - lastIndex * gap);
  const totalRatio = columns.reduce((sum, column) => sum + column.ratio, 0);
  return columns.map((column, i) => {
    const isCard = column.background !== null;
    const edges = { start: i === 0 ? gutter : gap / 2, end: i === lastIndex ? gutter : gap / 2 };
    const isInset = { start: i === 0 && !isCard, end: i === lastIndex && !isCard };
    const outerPadding = {
      start: isInset.start ? 0 : edges.start,
      end: isInset.end ? 0 : edges.end,
    };
    const innerPadding = {
      ...column.padding,
      start: column.padding.start + (isInset.start ? gutter : 0),
      end: column.padding.end + (isInset.end ? gutter : 0),
    };
    const width = (availableWidth * column.ratio) / totalRatio + edges.start + edges.end;
    return {
      width,
      outer: outerPadding,
      inner: innerPadding,
      content: Math.max(1, width - outerPadding.start - outerPadding.end),
    };
  });
}

/**
 * Returns a block's padding: explicit, or else the default of its type and column. The column's
 * padding is added above its first block and below its last one.
 */
export function resolveBlockPadding(block: Block, column: SectionColumn, box: ColumnBox): Padding {
  const [above, below] = VERTICAL[block.type];
  const explicit = block.style.padding ?? {
    top: above,
    end: box.inner.end,
    bottom: below,
    start: box.inner.start,
  };
  const index = column.blocks.indexOf(block);
  return {
    ...explicit,
    top: explicit.top + (index === 0 ? box.inner.top : 0),
    bottom: explicit.bottom + (index === column.blocks.length - 1 ? box.inner.bottom : 0),
  };
}

/** Returns the width of an image that takes `percent` % of its block. */
export function computeImageWidth(box: ColumnBox, padding: Padding, percent: number): number {
  const contentWidth = Math.max(1, box.content - padding.start - padding.end);
  return Math.max(1, Math.round((contentWidth * percent) / 100));
}

/** Returns the heading size for narrow screens if the block sets none. */
export function toNarrowHeadingSize(size: number): number {
  return size > 28 ? Math.round(Math.max(26, size * 0.8)) : size;
}

/** Returns the first background set on the block, its column, its section or the email. */
export function resolveBackground(
  block: Block,
  column: SectionColumn,
  section: Section,
  settings: EmailSettings,
): Color {
  return (
    block.style.background ??
    column.background ??
    section.background ??
    section.outer_background ??
    settings.content_background
  );
}

/**
 * Returns a block's text color: explicit, or else the email's, but white if that is dark on a dark
 * background, and fainter in footers.
 */
export function resolveTextColor(block: Block, background: Color, settings: EmailSettings): Color {
  if (block.style.color) return block.style.color;
  const defaultColor = block.type === 'heading' ? settings.heading.color : settings.text.color;
  const isUnreadable = computeLuminance(background) < 0.3 && computeLuminance(defaultColor) < 0.3;
  const color = isUnreadable ? '#ffffff' : defaultColor;
  return block.type === 'footer'
    ? ensureContrast(mixColors(color, background, 0.4), background)
    : color;
}

/**
 * Returns the screen sizes where a block is hidden. Footers and blocks with the unsubscribe link or
 * the postal address are never hidden.
 */
export function readHideOn(block: Block): HideOn | null {
  return isFooterBlock(block) ? null : block.hide_on;
}

/**
 * Returns the screen sizes where a section is hidden. A section that contains a footer block
 * (`isFooterBlock`) is never hidden.
 */
export function readSectionHideOn(section: Section): HideOn | null {
  return hasFooterBlock(section) ? null : section.hide_on;
}

export function hasFooterBlock({ columns }: Section): boolean {
  return columns.some(({ blocks }) => blocks.some(isFooterBlock));
}

/** Returns true for a footer, or a block with an unsubscribe link or the postal address. */
export function isFooterBlock(block: Block): boolean {
  return block.type === 'footer' || FOOTER_TAGS.test(JSON.stringify(block));
}

const FOOTER_TAGS = /\{\{\s*(unsubscribe_link|postal_address)\b/;
