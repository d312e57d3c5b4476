// Styles of the canvas as React styles, with the same computation as the renderer.
import type { CSSProperties } from 'react';
import { computeLuminance } from '../../colors.ts';
import type {
  Align,
  Block,
  BlockType,
  Border,
  ButtonStyle,
  Color,
  EmailSettings,
  Padding,
} from '../../document.ts';
import { findFont } from '../../fonts.ts';

export type CanvasTypography = {
  font: string;
  size: number;
  line_height: number;
  weight: number;
};

export function resolveTypography(block: Block, settings: EmailSettings): CanvasTypography {
  const { style } = block;
  const { heading, text } = settings;
  const isHeading = block.type === 'heading';
  const defaults = isHeading
    ? { ...heading, size: heading.sizes[block.level - 1] ?? text.size }
    : { ...text, weight: 400 };
  return {
    font: style.font ?? defaults.font,
    size: style.size ?? defaults.size,
    line_height: style.line_height ?? defaults.line_height,
    weight: style.weight ?? defaults.weight,
  };
}

const CENTERED: readonly BlockType[] = [
  'image',
  'video',
  'header',
  'social',
  'menu',
  'coupon',
  'event',
  'countdown',
  'footer',
  'divider',
];

/** Returns a block's default alignment. */
export const getDefaultAlign = (type: BlockType): Align =>
  CENTERED.includes(type) ? 'center' : 'start';

export function textStyle(typography: CanvasTypography): CSSProperties {
  return {
    fontFamily: findFont(typography.font).stack,
    fontSize: typography.size,
    lineHeight: `${Math.round(typography.size * typography.line_height)}px`,
    fontWeight: typography.weight,
  };
}

export const borderStyle = (border: Border | null | undefined): string | undefined =>
  border && border.width > 0 ? `${border.width}px ${border.style} ${border.color}` : undefined;

export const paddingStyle = (padding: Padding): CSSProperties => ({
  paddingBlock: `${padding.top}px ${padding.bottom}px`,
  paddingInline: `${padding.start}px ${padding.end}px`,
});

export const justify = { start: 'flex-start', center: 'center', end: 'flex-end' } as const;

export function buttonStyle(
  custom: ButtonStyle,
  block: Block,
  settings: EmailSettings,
  isInline = false,
): CSSProperties {
  const defaults = settings.button;
  const blockStyle = isInline ? {} : block.style;
  const reduction = isInline ? 1 : 0;
  const background: Color = custom.background ?? defaults.background;
  return {
    display: custom.is_wide && !isInline ? 'block' : 'inline-block',
    width: custom.is_wide && !isInline ? '100%' : undefined,
    padding: `${defaults.padding_y - 2 * reduction}px ${defaults.padding_x - 4 * reduction}px`,
    marginBlockStart: isInline ? 14 : undefined,
    border: borderStyle(custom.border),
    borderRadius: custom.radius ?? defaults.radius,
    background,
    color: custom.color ?? ensureReadable(defaults.color, custom.background),
    fontFamily: findFont(blockStyle.font ?? defaults.font).stack,
    fontSize: (blockStyle.size ?? defaults.size) - reduction,
    fontWeight: blockStyle.weight ?? defaults.weight,
    lineHeight: '120%',
    textAlign: 'center',
    textDecoration: 'none',
  };
}

/**
 * Returns the default text color of buttons. If that color is unreadable on the button's own
 * background, returns a dark color or white instead, whichever is readable.
 */
function ensureReadable(defaultColor: Color, background: Color | undefined): Color {
  if (background === undefined) return defaultColor;
  const [textLuminance, groundLuminance] = [
    computeLuminance(defaultColor),
    computeLuminance(background),
  ];
  const lighter = Math.max(textLuminance, groundLuminance);
  const darker = Math.min(textLuminance, groundLuminance);
  const contrast = (lighter + 0.05) / (darker + 0.05);
  if (contrast >= 3) return defaultColor;
  return groundLuminance > 0.35 ? '#1b1d22' : '#ffffff';
}
