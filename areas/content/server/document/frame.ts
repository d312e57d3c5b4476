// What a block knows while it is rendered: where it stands, its colours by light and dark, its fonts.
import type { Language } from '#platform/languages.ts';
import type {
  Align,
  Block,
  Border,
  ButtonLook,
  Colour,
  Column,
  MailSettings,
  Padding,
  Picture,
  Section,
} from '../../document.ts';
import { darkened, readableOn } from '../../colours.ts';
import { blockPadding, type ColumnBox, groundOf, textColour } from '../../document-layout.ts';
import { fontOf } from '../../fonts.ts';
import { physical, richMail } from './rich-mail.ts';
import type { Slots } from './slots.ts';
import type { StyleSheet } from './style-sheet.ts';

/** Words that the renderer itself puts into a mail, in its language. */
export type DocumentWords = {
  unsubscribe: string;
  play: string;
  /** Before the names of calendars. */
  addToCalendar: string;
  /** That the event is attached as a file. */
  calendarFile: string;
};

/** What a document is rendered with besides itself. */
export type DocumentContext = {
  language: Language;
  /** Pictures of ours are addressed from here; no slash at its end. */
  public_url: string;
  company: string;
  logo: Picture | null;
  website: string;
  words: DocumentWords;
};

export type Mail = {
  settings: MailSettings;
  context: DocumentContext;
  slots: Slots;
  sheet: StyleSheet;
  isRtl: boolean;
  /** Names and weights of the fonts that occur. */
  fonts: Map<string, Set<number>>;
};

export type Frame = Mail & {
  section: Section;
  column: Column;
  box: ColumnBox;
  block: Block;
  padding: Padding;
  /** What the block stands on; undefined where dark mailboxes are left alone. */
  ground: Colour;
  darkGround: Colour | undefined;
  colour: Colour;
  darkColour: Colour | undefined;
};

export function frameOf(
  mail: Mail,
  section: Section,
  column: Column,
  box: ColumnBox,
  block: Block,
): Frame {
  const ground = groundOf(block, column, section, mail.settings);
  const colour = textColour(block, ground, mail.settings);
  const darkGround = darkGroundOf(mail, section, column, block);
  const padding = blockPadding(block, column, box);
  const frame = { ...mail, section, column, box, block, padding, ground, colour, darkGround };
  return { ...frame, darkColour: darkColourOf(frame) };
}

function darkGroundOf(
  { settings: { dark } }: Mail,
  section: Section,
  column: Column,
  block: Block,
): Colour | undefined {
  if (dark === null) return undefined;
  if (block.dark.background) return block.dark.background;
  const own = block.style.background ?? column.background;
  if (own) return darkened(own, dark.content_background);
  return sectionDark(section, dark.content_background);
}

/** Of a section in a dark mailbox: what it says, or its own colour made dark. */
export function sectionDark(section: Section, content: Colour): Colour {
  const own = section.background ?? section.outer_background;
  const said = section.background ? section.dark.background : section.dark.outer_background;
  return said ?? section.dark.background ?? (own ? darkened(own, content) : content);
}

function darkColourOf(frame: Omit<Frame, 'darkColour'>): Colour | undefined {
  const { block, colour, darkGround, settings } = frame;
  if (settings.dark === null || darkGround === undefined) return undefined;
  if (block.dark.color) return block.dark.color;
  const isUsual = colour === settings.text.color || colour === settings.heading.color;
  const usual = block.type === 'heading' ? settings.dark.heading : settings.dark.text;
  return readableOn(isUsual ? usual : colour, darkGround);
}

export function alignOf(frame: Frame, usual: Align = 'start'): 'left' | 'center' | 'right' {
  return physical(frame.block.style.align ?? usual, frame.isRtl) as 'left' | 'center' | 'right';
}

export function paddingText({ top, end, bottom, start }: Padding, isRtl: boolean): string {
  const [right, left] = isRtl ? [start, end] : [end, start];
  return `${top}px ${right}px ${bottom}px ${left}px`;
}

export function borderText(border: Border | null | undefined): string | undefined {
  return border && border.width > 0
    ? `${border.width}px ${border.style} ${border.color}`
    : undefined;
}

export type TextLook = { font: string; size: number; line_height: number; weight: number };

export function textLook({ block, settings }: Frame): TextLook {
  const usual =
    block.type === 'heading'
      ? { ...settings.heading, size: settings.heading.sizes[block.level - 1] as number }
      : { ...settings.text, weight: 400 };
  const { font, size, line_height, weight } = block.style;
  return {
    font: font ?? usual.font,
    size: size ?? usual.size,
    line_height: line_height ?? usual.line_height,
    weight: weight ?? usual.weight,
  };
}

/** The stack of a font; web fonts are remembered for the head of the mail. */
export function stackOf({ fonts }: Mail, name: string, weight: number): string {
  const font = fontOf(name);
  if (font.kind === 'web') {
    const weights = fonts.get(name) ?? new Set();
    const nearest = font.weights.toSorted((a, b) => Math.abs(a - weight) - Math.abs(b - weight));
    fonts.set(name, weights.add(nearest[0] ?? 400));
    if (weight <= 500 && font.weights.includes(700)) weights.add(700);
  }
  return font.stack;
}

/** As a style attribute says it, for elements that inherit nothing in Outlook. */
export function textCss(frame: Frame, look: TextLook, colour: Colour): string {
  const line = Math.round(look.size * look.line_height);
  return `font-family:${stackOf(frame, look.font, look.weight)};font-size:${look.size}px;line-height:${line}px;font-weight:${look.weight};color:${colour}`;
}

export function rich(frame: Frame, html: string): string {
  const { settings, sheet, isRtl, darkGround } = frame;
  const link = settings.link;
  const look = textLook(frame);
  // A link has the mail's colour where that can be read, else the text's.
  const color = readableOn(link.color, frame.ground, 3) === link.color ? link.color : frame.colour;
  const dark = settings.dark && darkGround ? readableOn(settings.dark.link, darkGround) : undefined;
  return richMail(html, {
    isRtl,
    link: { color: frame.block.type === 'footer' ? frame.colour : color, ...underline(link) },
    linkClass:
      dark && sheet.darkColour(frame.block.type === 'footer' ? (frame.darkColour ?? dark) : dark),
    gap: Math.round(look.size * 0.75),
    darkGround,
    darkClass: (colour) => sheet.darkColour(colour),
  });
}

const underline = ({ is_underlined }: MailSettings['link']) => ({ is_underlined });

/** A picture's address as mailboxes need it: whole. */
export function address(context: DocumentContext, src: string): string {
  return src.startsWith('/') ? context.public_url + src : src;
}

export type ButtonColours = {
  background: Colour;
  color: Colour;
  dark: { background: Colour; color: Colour } | undefined;
};

export function buttonColours({ settings }: Mail, look: ButtonLook): ButtonColours {
  const background = look.background ?? settings.button.background;
  const color = look.color ?? readableOn(settings.button.color, background, 3);
  if (settings.dark === null) return { background, color, dark: undefined };
  const hasOwn = look.background !== undefined;
  const darkBackground =
    look.dark_background ?? (hasOwn ? background : settings.dark.button_background);
  const wished = look.dark_color ?? (hasOwn ? color : settings.dark.button_text);
  return {
    background,
    color,
    dark: { background: darkBackground, color: readableOn(wished, darkBackground) },
  };
}

/** Who sends, and from where; a business without a name leaves nothing before its address. */
export function addressLine({ company }: Pick<DocumentContext, 'company'>): string {
  return company.trim() === '' ? '{{postal_address}}' : '{{company}}, {{postal_address}}';
}
