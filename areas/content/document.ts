// The email document: what the block editor edits and the renderer reads. Sections hold one to four
// columns, columns hold blocks. Plain JSON; every node has an id of its own. A newer version than
// this program knows is refused and kept as it is (docs/decisions/0016-email-document.md).
import type { RichText } from '#platform/rich-text.ts';
import type { Pick, PickFallback } from './shop-names.ts';

/** Grows when an older program could no longer render a document rightly. */
export const DOCUMENT_VERSION = 1;

/** `#rrggbb`. */
export type Colour = `#${string}`;
/** An id of this document's own: 1 to 32 letters, digits, `-` or `_`; unique in it. */
export type NodeId = string;
/** Start and end follow the mail's direction: start is the right in Persian. */
export type Align = 'start' | 'center' | 'end';
export type HideOn = 'mobile' | 'desktop';
export type { RichText };
/** One line of plain text; may have merge tags. */
export type PlainLine = string;
/** http(s), mailto or tel, or one that a merge tag gives (`{{unsubscribe_link}}`); '' for none. */
export type Address = string;

/** Pixels. */
export type Padding = { top: number; end: number; bottom: number; start: number };
export type Border = { width: number; style: 'solid' | 'dashed' | 'dotted'; color: Colour };

/** `src` is an address of our image library, or any https address; '' is an empty place. */
export type Picture = {
  src: string;
  /** What is read where pictures are off; '' for mere decoration. */
  alt: string;
  /** Of the file, in pixels; null where nobody measured it. */
  width: number | null;
  height: number | null;
};

/** Where something is not said, the mail's settings say it. */
export type TextStyle = {
  font?: string;
  size?: number;
  /** Share of the size: 1.5. */
  line_height?: number;
  weight?: number;
  color?: Colour;
};
export type BlockStyle = TextStyle & {
  align?: Align;
  padding?: Padding;
  background?: Colour;
  border?: Border;
  radius?: number;
};
/** What is different on a narrow screen. */
export type MobileStyle = { align?: Align; padding?: Padding; size?: number };
/** What is different in a dark mailbox. */
export type DarkStyle = { color?: Colour; background?: Colour };

type BlockBase<T extends string> = {
  id: NodeId;
  type: T;
  style: BlockStyle;
  mobile: MobileStyle;
  dark: DarkStyle;
  hide_on: HideOn | null;
};

export type HeadingBlock = BlockBase<'heading'> & { level: 1 | 2 | 3; html: RichText };
export type TextBlock = BlockBase<'text'> & { html: RichText };
export type ImageBlock = BlockBase<'image'> & {
  image: Picture;
  href: Address;
  /** Share of the column's width, 5 to 100. */
  width: number;
};
export type ButtonLook = {
  background?: Colour;
  color?: Colour;
  radius?: number;
  border?: Border;
  /** Takes the whole column. */
  is_wide?: boolean;
  dark_background?: Colour;
  dark_color?: Colour;
};
export type ButtonBlock = BlockBase<'button'> & {
  label: PlainLine;
  href: Address;
  button: ButtonLook;
};
export type DividerBlock = BlockBase<'divider'> & {
  line: Border;
  /** Share of the column's width. */
  width: number;
};
export type SpacerBlock = BlockBase<'spacer'> & { height: number; mobile_height: number | null };
export type SocialLink = { network: Network; href: Address };
export type SocialBlock = BlockBase<'social'> & {
  links: SocialLink[];
  /** The icons' ground: the network's own colour, dark, light, or none with a dark or light sign. */
  look: SocialLook;
  shape: 'round' | 'soft' | 'square';
  /** Pixels, 16 to 64. */
  icon_size: number;
  gap: number;
};
export type MenuBlock = BlockBase<'menu'> & {
  items: { label: PlainLine; href: Address }[];
  /** Stands between two items; '' for none. */
  separator: string;
  gap: number;
};
export type VideoBlock = BlockBase<'video'> & {
  /** The page that plays it. */
  href: Address;
  poster: Picture;
  /** Share of the column's width. */
  width: number;
};
export type ProductBlock = BlockBase<'product'> & {
  layout: 'stacked' | 'beside';
  image: Picture;
  name: PlainLine;
  price: PlainLine;
  /** Struck through; '' for none. */
  old_price: PlainLine;
  /** Where name, prices, picture and address come from; missing: from whoever wrote it. */
  pick?: Pick;
  /** Newest and best-selling: of this store alone; missing or '': of all. */
  store?: string;
  /** For whom nothing of their own can be picked: the best-selling product, or without the whole section. */
  if_none?: PickFallback;
  html: RichText;
  href: Address;
  /** '' for no button. */
  label: PlainLine;
  button: ButtonLook;
};
export type CouponBlock = BlockBase<'coupon'> & {
  title: PlainLine;
  /** With a pool: for whom it has none left. */
  code: PlainLine;
  /** The pool that each copy draws a code of; missing or '': all have the same. */
  pool?: string;
  /** Terms, and until when. */
  html: RichText;
  href: Address;
  /** '' for no button. */
  label: PlainLine;
  button: ButtonLook;
};
/** Something that takes place: with links to calendars, and attached as a calendar file. No merge tags. */
export type EventBlock = BlockBase<'event'> & {
  title: string;
  /** YYYY-MM-DDTHH:MM on the wall clock of `zone`; '' while nobody has said. */
  starts: string;
  /** '' for an hour later. */
  ends: string;
  /** IANA. */
  zone: string;
  /** '' for none. */
  place: string;
};
/**
 * Own HTML, kept as it was written: show it in a sandboxed frame only. The renderer closes what was
 * left open and leaves out what could run; a script is an error before sending.
 */
export type HtmlBlock = BlockBase<'html'> & { html: string };
export type TableBlock = BlockBase<'table'> & {
  /** All rows are equally long. */
  rows: RichText[][];
  has_header: boolean;
  /** One for each column. */
  aligns: Align[];
  is_striped: boolean;
  line: Border;
};
/** The logo; without a picture the brand's, without one the business's name. */
export type HeaderBlock = BlockBase<'header'> & {
  image: Picture;
  href: Address;
  /** Pixels, at most the column. */
  width: number;
};
/** Postal address and unsubscribe link, which each marketing mail must have. */
export type FooterBlock = BlockBase<'footer'> & {
  /** Above the address: why they get this mail. */
  html: RichText;
  has_address: boolean;
  /** '' leaves the words to the mail's language. */
  unsubscribe_label: PlainLine;
  /** '' for no such link. */
  browser_label: PlainLine;
  /** The link to where a person settles what they get; missing or '' for none. */
  preferences_label?: PlainLine;
};

export type Block =
  | HeadingBlock
  | TextBlock
  | ImageBlock
  | ButtonBlock
  | DividerBlock
  | SpacerBlock
  | SocialBlock
  | MenuBlock
  | VideoBlock
  | ProductBlock
  | CouponBlock
  | EventBlock
  | HtmlBlock
  | TableBlock
  | HeaderBlock
  | FooterBlock;
export type BlockType = Block['type'];
export type BlockOf<T extends BlockType> = Extract<Block, { type: T }>;

export type Column = {
  id: NodeId;
  /** Its share beside its neighbours: 1 and 2 are a third and two thirds. 1 to 12. */
  ratio: number;
  background: Colour | null;
  padding: Padding;
  radius: number;
  vertical: 'top' | 'middle' | 'bottom';
  blocks: Block[];
};

export type GroupRule = { kind: 'group'; operator: 'in' | 'not_in'; group: string };
export type SegmentRule = { kind: 'segment'; operator: 'in' | 'not_in'; segment: string };
export type FieldRule = {
  kind: 'field';
  /** As a merge tag names it: `firstname`, or a custom field. */
  field: string;
  operator: FieldOperator;
  /** '' for blank and not_blank. Numbers and dates (YYYY-MM-DD) are compared as such. */
  value: string;
};
export type ConditionRule = GroupRule | SegmentRule | FieldRule;
/** Who sees the section. */
export type Condition = { match: 'all' | 'any'; rules: ConditionRule[] };

export type Section = {
  id: NodeId;
  columns: Column[];
  /** Behind the section's content, and from one edge of the window to the other. */
  background: Colour | null;
  outer_background: Colour | null;
  background_image: Picture | null;
  padding: Padding;
  border: Border | null;
  radius: number;
  /** Pixels between two columns. */
  gap: number;
  /** On narrow screens: columns below each other, in their order or from the last one on. */
  stacking: 'stack' | 'reverse' | 'keep';
  mobile_padding: Padding | null;
  hide_on: HideOn | null;
  dark: { background?: Colour; outer_background?: Colour };
  condition: Condition | null;
};

export type DarkColours = {
  background: Colour;
  content_background: Colour;
  text: Colour;
  heading: Colour;
  link: Colour;
  button_background: Colour;
  button_text: Colour;
};

export type MailSettings = {
  /** Of the content, in pixels: 320 to 800. */
  width: number;
  /** auto: as the mail's language is written. */
  direction: 'auto' | 'ltr' | 'rtl';
  /** The line after the subject; a campaign's own preheader comes first. */
  preheader: PlainLine;
  /** Around the content, and behind it. */
  background: Colour;
  content_background: Colour;
  text: { font: string; size: number; line_height: number; color: Colour };
  heading: {
    font: string;
    weight: number;
    line_height: number;
    color: Colour;
    /** Pixels of levels 1, 2 and 3. */
    sizes: [number, number, number];
  };
  link: { color: Colour; is_underlined: boolean };
  button: {
    font: string;
    size: number;
    weight: number;
    background: Colour;
    color: Colour;
    radius: number;
    padding_x: number;
    padding_y: number;
  };
  /** Pixels from one edge of the content to the blocks, where a block says nothing else. */
  gutter: number;
  /** Null leaves dark mailboxes to their own ways. */
  dark: DarkColours | null;
};

export type EmailDocument = {
  version: typeof DOCUMENT_VERSION;
  settings: MailSettings;
  sections: Section[];
};

export const BLOCK_TYPES = [
  'heading',
  'text',
  'image',
  'button',
  'divider',
  'spacer',
  'social',
  'menu',
  'video',
  'product',
  'coupon',
  'event',
  'html',
  'table',
  'header',
  'footer',
] as const satisfies readonly BlockType[];

export const NETWORKS = [
  'facebook',
  'instagram',
  'x',
  'youtube',
  'tiktok',
  'linkedin',
  'pinterest',
  'threads',
  'bluesky',
  'mastodon',
  'whatsapp',
  'telegram',
  'snapchat',
  'spotify',
  'github',
  'website',
  'email',
  'phone',
] as const;
export type Network = (typeof NETWORKS)[number];

export const SOCIAL_LOOKS = ['brand', 'dark', 'light', 'dark-sign', 'light-sign'] as const;
export type SocialLook = (typeof SOCIAL_LOOKS)[number];

export const FIELD_OPERATORS = [
  'is',
  'is_not',
  'contains',
  'not_contains',
  'more',
  'less',
  'blank',
  'not_blank',
] as const;
export type FieldOperator = (typeof FIELD_OPERATORS)[number];

/** Most of each; a document beyond them is refused with the place named. */
export const DOCUMENT_LIMITS = {
  bytes: 1024 * 1024,
  sections: 200,
  columns: 4,
  blocks: 500,
  rich: 50_000,
  html: 200_000,
  line: 1_000,
  address: 2_000,
  links: 30,
  rows: 100,
  cells: 12,
  rules: 20,
} as const;

/** Calls `visit` for each block with where it stands, in reading order. */
export function eachBlock(
  document: EmailDocument,
  visit: (block: Block, column: Column, section: Section) => void,
): void {
  for (const section of document.sections) {
    for (const column of section.columns) {
      for (const block of column.blocks) visit(block, column, section);
    }
  }
}

/** The pictures that a block shows. */
export function picturesOf(block: Block): Picture[] {
  if (block.type === 'image' || block.type === 'product' || block.type === 'header') {
    return [block.image];
  }
  return block.type === 'video' ? [block.poster] : [];
}
