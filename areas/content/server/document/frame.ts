// Context of a block during rendering (position, light and dark colors, fonts), and the values that
// renderers of blocks derive from it.
import type { Language } from '#platform/languages.ts';
import type {
  Align,
  Block,
  Border,
  ButtonStyle,
  Color,
  SectionColumn,
  EmailSettings,
  Padding,
  DocumentImage,
  Section,
} from '../../document.ts';
import { darkenColor, ensureContrast } from '../../colors.ts';
import {
  resolveBlockPadding,
  type ColumnBox,
  resolveBackground,
  resolveTextColor,
} from '../../document-layout.ts';
import { findFont } from '../../fonts.ts';
import type { NetworkNames } from '../../network-names.ts';
import { toPhysicalAlign, renderRichText } from './rich-text-html.ts';
import type { ContentSlots } from './slots.ts';
import type { StyleSheet } from './style-sheet.ts';

/** Texts that the renderer adds to an email, in its language. */
export type DocumentTexts = {
  unsubscribe: string;
  play: string;
  /** Label before the names of calendars. */
  addToCalendar: string;
  /** Note that the event is attached as a file. */
  calendarFile: string;
  /** Label before the end of a countdown. */
  countdownEnds: string;
  networks: NetworkNames;
};

/** Inputs of rendering in addition to the document. */
export type DocumentContext = {
  language: Language;
  /** Base URL of images, without a trailing slash. */
  public_url: string;
  company: string;
  logo: DocumentImage | null;
  website: string;
  texts: DocumentTexts;
  /**
   * URLs of countdown images. Their keys are the results of `encodeCountdown`. The URLs are signed
   * in advance, because rendering runs on a worker thread.
   */
  countdowns?: Readonly<Record<string, string>>;
};

export type EmailFrame = {
  settings: EmailSettings;
  context: DocumentContext;
  slots: ContentSlots;
  styleSheet: StyleSheet;
  isRtl: boolean;
  /** Names and weights of the web fonts in use. */
  fonts: Map<string, Set<number>>;
};

export type RenderFrame = EmailFrame & {
  section: Section;
  column: SectionColumn;
  box: ColumnBox;
  block: Block;
  padding: Padding;
  /** Background behind the block. */
  background: Color;
  /** Dark colors are undefined if dark mode is left to the client. */
  darkBackground: Color | undefined;
  color: Color;
  darkColor: Color | undefined;
};

export function createFrame(
  email: EmailFrame,
  section: Section,
  column: SectionColumn,
  box: ColumnBox,
  block: Block,
): RenderFrame {
  const background = resolveBackground(block, column, section, email.settings);
  const color = resolveTextColor(block, background, email.settings);
  const darkBackground = resolveDarkBackground(email, section, column, block);
  const padding = resolveBlockPadding(block, column, box);
  const frame = {
    ...email,
    section,
    column,
    box,
    block,
    padding,
    background,
    color,
    darkBackground,
  };
  return { ...frame, darkColor: resolveDarkColor(frame) };
}

function resolveDarkBackground(
  { settings: { dark } }: EmailFrame,
  section: Section,
  column: SectionColumn,
  block: Block,
): Color | undefined {
  if (dark === null) return undefined;
  if (block.dark.background) return block.dark.background;
  const explicit = block.style.background ?? column.background;
  if (explicit) return darkenColor(explicit, dark.content_background);
  return resolveSectionDark(section, dark.content_background);
}

/**
 * Returns the dark background that the section defines. If it defines none, derives it from the
 * section's light background. A section with neither gets `content`, the dark content background of
 * the email.
 */
export function resolveSectionDark(section: Section, content: Color): Color {
  const explicit = section.background ?? section.outer_background;
  const darkBackground = section.background
    ? section.dark.background
    : section.dark.outer_background;
  return (
    darkBackground ??
    section.dark.background ??
    (explicit ? darkenColor(explicit, content) : content)
  );
}

function resolveDarkColor(frame: Omit<RenderFrame, 'darkColor'>): Color | undefined {
  const { block, color, darkBackground, settings } = frame;
  if (settings.dark === null || darkBackground === undefined) return undefined;
  if (block.dark.color) return block.dark.color;
  const isUsual = color === settings.text.color || color === settings.heading.color;
  const defaultColor = block.type === 'heading' ? settings.dark.heading : settings.dark.text;
  return ensureContrast(isUsual ? defaultColor : color, darkBackground);
}

export function resolveAlign(
  frame: RenderFrame,
  defaultAlign: Align = 'start',
): 'left' | 'center' | 'right' {
  return toPhysicalAlign(frame.block.style.align ?? defaultAlign, frame.isRtl) as
    | 'left'
    | 'center'
    | 'right';
}

export function formatPadding({ top, end, bottom, start }: Padding, isRtl: boolean): string {
  const [right, left] = isRtl ? [start, end] : [end, start];
  return `${top}px ${right}px ${bottom}px ${left}px`;
}

export function formatBorder(border: Border | null | undefined): string | undefined {
  return border && border.width > 0
    ? `${border.width}px ${border.style} ${border.color}`
    : undefined;
}

export type Typography = { font: string; size: number; line_height: number; weight: number };

export function resolveTypography({ block, settings }: RenderFrame): Typography {
  const defaults =
    block.type === 'heading'
      ? { ...settings.heading, size: settings.heading.sizes[block.level - 1] as number }
      : { ...settings.text, weight: 400 };
  const { font, size, line_height, weight } = block.style;
  return {
    font: font ?? defaults.font,
    size: size ?? defaults.size,
    line_height: line_height ?? defaults.line_height,
    weight: weight ?? defaults.weight,
  };
}

/** Returns the font stack and registers web fonts for the head of the email. */
export function resolveFontStack({ fonts }: EmailFrame, name: string, weight: number): string {
  const font = findFont(name);
  if (font.kind === 'web') {
    const weights = fonts.get(name) ?? new Set();
    const nearest = font.weights.toSorted((a, b) => Math.abs(a - weight) - Math.abs(b - weight));
    fonts.set(name, weights.add(nearest[0] ?? 400));
    if (weight <= 500 && font.weights.includes(700)) weights.add(700);
  }
  return font.stack;
}

/** Formats a text style inline, for elements that do not inherit styles in Outlook. */
export function formatTextCss(frame: RenderFrame, typography: Typography, color: Color): string {
  const line = Math.round(typography.size * typography.line_height);
  return `font-family:${resolveFontStack(frame, typography.font, typography.weight)};font-size:${typography.size}px;line-height:${line}px;font-weight:${typography.weight};color:${color}`;
}

export function renderRich(frame: RenderFrame, html: string): string {
  const { settings, styleSheet, isRtl, darkBackground } = frame;
  const link = settings.link;
  const typography = resolveTypography(frame);
  // A link has the email's link color if that is readable, otherwise the text color. Links in
  // footers always have the text color.
  const color =
    ensureContrast(link.color, frame.background, 3) === link.color ? link.color : frame.color;
  const dark =
    settings.dark && darkBackground
      ? ensureContrast(settings.dark.link, darkBackground)
      : undefined;
  return renderRichText(html, {
    isRtl,
    link: { color: frame.block.type === 'footer' ? frame.color : color, ...formatUnderline(link) },
    linkClass:
      dark &&
      styleSheet.addDarkColor(frame.block.type === 'footer' ? (frame.darkColor ?? dark) : dark),
    gap: Math.round(typography.size * 0.75),
    darkBackground,
    addDarkColor: (darkColor) => styleSheet.addDarkColor(darkColor),
  });
}

const formatUnderline = ({ is_underlined }: EmailSettings['link']) => ({ is_underlined });

/** Returns the absolute URL of an image, as emails require. */
export function resolveAddress(context: DocumentContext, src: string): string {
  return src.startsWith('/') ? context.public_url + src : src;
}

export type ButtonColors = {
  background: Color;
  color: Color;
  dark: { background: Color; color: Color } | undefined;
};

export function resolveButtonColors(
  { settings }: EmailFrame,
  buttonStyle: ButtonStyle,
): ButtonColors {
  const background = buttonStyle.background ?? settings.button.background;
  const color = buttonStyle.color ?? ensureContrast(settings.button.color, background, 3);
  if (settings.dark === null) return { background, color, dark: undefined };
  const hasOwn = buttonStyle.background !== undefined;
  const darkBackground =
    buttonStyle.dark_background ?? (hasOwn ? background : settings.dark.button_background);
  const darkColor = buttonStyle.dark_color ?? (hasOwn ? color : settings.dark.button_text);
  return {
    background,
    color,
    dark: { background: darkBackground, color: ensureContrast(darkColor, darkBackground) },
  };
}

/**
 * Returns the company's name for use outside block text. Braces would be parsed as merge tags, so a
 * name that contains one is replaced by `{{company}}`.
 */
export function formatCompanyName({ company }: Pick<DocumentContext, 'company'>): string {
  return company.includes('{') ? '{{company}}' : company;
}

/** Returns the name and address of the business, or only the address if it has no name. */
export function createAddressLine({ company }: Pick<DocumentContext, 'company'>): string {
  return company.trim() === '' ? '{{postal_address}}' : '{{company}}, {{postal_address}}';
}
