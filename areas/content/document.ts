// The email document, edited by the block editor and read by the renderer. Sections have one to
// four columns, columns have blocks. Plain JSON; every node has its own id. Documents of a newer
// version are refused and left unchanged (docs/decisions/0016-email-document.md).
import type { RichText } from '#platform/rich-text.ts';
import type { Pick, PickFallback } from './shop-names.ts';

/** Increased by changes that older versions of the product could not render correctly. */
export const DOCUMENT_VERSION = 1;

/** `#rrggbb`. */
export type Color = `#${string}`;
/** Id of a node: 1 to 32 letters, digits, `-` or `_`; unique in its document. */
export type NodeId = string;
/** Start and end follow the direction of the email: start is right in Persian. */
export type Align = 'start' | 'center' | 'end';
export type HideOn = 'mobile' | 'desktop';
export type { RichText };
/** One line of plain text; may contain merge tags. */
export type PlainLine = string;
/** An http(s), mailto, tel or sms URL, `#…`, or a URL that begins with a merge tag; '' for none. */
export type LinkAddress = string;

/** Pixels. */
export type Padding = { top: number; end: number; bottom: number; start: number };
export type Border = { width: number; style: 'solid' | 'dashed' | 'dotted'; color: Color };

/** `src` is a URL of the image library, or any http(s) URL; '' is an empty placeholder. */
export type DocumentImage = {
  src: string;
  /** Alternative text; '' for decorative images. */
  alt: string;
  /** Size of the file in pixels; null if unknown. */
  width: number | null;
  height: number | null;
};

/** Missing properties default to the settings of the email. */
export type TextStyle = {
  font?: string;
  size?: number;
  /** Multiple of the font size, for example 1.5. */
  line_height?: number;
  weight?: number;
  color?: Color;
};
export type BlockStyle = TextStyle & {
  align?: Align;
  padding?: Padding;
  background?: Color;
  border?: Border;
  radius?: number;
};
/** Overrides for narrow screens. */
export type MobileStyle = { align?: Align; padding?: Padding; size?: number };
/** Overrides for dark mode. */
export type DarkStyle = { color?: Color; background?: Color };

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
  image: DocumentImage;
  href: LinkAddress;
  /** Percentage of the column's width, 5 to 100. */
  width: number;
};
export type ButtonStyle = {
  background?: Color;
  color?: Color;
  radius?: number;
  border?: Border;
  /** Spans the whole column. */
  is_wide?: boolean;
  dark_background?: Color;
  dark_color?: Color;
};
export type ButtonBlock = BlockBase<'button'> & {
  label: PlainLine;
  href: LinkAddress;
  button: ButtonStyle;
};
export type DividerBlock = BlockBase<'divider'> & {
  line: Border;
  /** Percentage of the column's width. */
  width: number;
};
export type SpacerBlock = BlockBase<'spacer'> & { height: number; mobile_height: number | null };
export type SocialLink = { network: SocialNetwork; href: LinkAddress };
export type SocialBlock = BlockBase<'social'> & {
  links: SocialLink[];
  /** Style of the icons: brand color, dark, light, or a dark or light symbol without background. */
  look: SocialStyle;
  shape: 'round' | 'soft' | 'square';
  /** Pixels, 16 to 64. */
  icon_size: number;
  gap: number;
};
export type MenuBlock = BlockBase<'menu'> & {
  items: { label: PlainLine; href: LinkAddress }[];
  /** Text between two items; '' for none. */
  separator: string;
  gap: number;
};
export type VideoBlock = BlockBase<'video'> & {
  /** URL of the page that plays the video. */
  href: LinkAddress;
  poster: DocumentImage;
  /** Percentage of the column's width. */
  width: number;
};
export type ProductBlock = BlockBase<'product'> & {
  layout: 'stacked' | 'beside';
  image: DocumentImage;
  name: PlainLine;
  price: PlainLine;
  /** Former price, struck through; '' for none. */
  old_price: PlainLine;
  /** Source of name, prices, image and URL; absent: entered by the author. */
  pick?: Pick;
  /** For the newest and best-selling products: the store; absent or '' means all stores. */
  store?: string;
  /**
   * If `pick` finds no product for a recipient: `best_selling` shows the best-selling product;
   * `hide` hides the section if the first product in it with this `pick` is not found.
   */
  if_none?: PickFallback;
  html: RichText;
  href: LinkAddress;
  /** '' for no button. */
  label: PlainLine;
  button: ButtonStyle;
};
export type CouponBlock = BlockBase<'coupon'> & {
  title: PlainLine;
  /** With a pool, the code for recipients once the pool is empty. */
  code: PlainLine;
  /** Pool of single-use codes, one per copy; absent or '': the same code for all. */
  pool?: string;
  /** Terms and expiry. */
  html: RichText;
  href: LinkAddress;
  /** '' for no button. */
  label: PlainLine;
  button: ButtonStyle;
};
/** A calendar event, with links to calendars and an attached calendar file. No merge tags. */
export type EventBlock = BlockBase<'event'> & {
  title: string;
  /** YYYY-MM-DDTHH:MM in wall time of `zone`; '' if not set yet. */
  starts: string;
  /** '' for one hour after the start. */
  ends: string;
  /** IANA time zone. */
  zone: string;
  /** '' for none. */
  place: string;
};
/**
 * The time left until `ends`, as an image that the server draws whenever the email is opened. No
 * merge tags.
 */
export type CountdownBlock = BlockBase<'countdown'> & {
  /** YYYY-MM-DDTHH:MM in wall time of `zone`; '' if not set yet. */
  ends: string;
  /** IANA time zone. */
  zone: string;
  /** Text shown once the end has passed; '' shows zeros. */
  ended: string;
  href: LinkAddress;
  /** Percentage of the column's width. */
  width: number;
  /** Colors of digits and of the boxes behind them. */
  digits: Color;
  boxes: Color;
};
/**
 * Custom HTML, stored as written; must only be shown in a sandboxed frame. The renderer closes
 * open elements and removes active content; a script is an error before sending.
 */
export type HtmlBlock = BlockBase<'html'> & { html: string };
export type TableBlock = BlockBase<'table'> & {
  /** Name of a list: the first row below the header repeats for each `item` of it. '' for none. */
  each?: string;
  /** All rows have the same length. */
  rows: RichText[][];
  has_header: boolean;
  /** One per column. */
  aligns: Align[];
  is_striped: boolean;
  line: Border;
};
/** The logo; defaults to the brand's logo, then to the name of the business. */
export type HeaderBlock = BlockBase<'header'> & {
  image: DocumentImage;
  href: LinkAddress;
  /** Pixels, at most the width of the column. */
  width: number;
};
/** Postal address and unsubscribe link, which every marketing email must have. */
export type FooterBlock = BlockBase<'footer'> & {
  /** Text above the address: the reason for receiving this email. */
  html: RichText;
  has_address: boolean;
  /** '' for the default text in the email's language. */
  unsubscribe_label: PlainLine;
  /** '' for no link. */
  browser_label: PlainLine;
  /** Link to the preference page; absent or '' for none. */
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
  | CountdownBlock
  | HtmlBlock
  | TableBlock
  | HeaderBlock
  | FooterBlock;
export type BlockType = Block['type'];
export type BlockOf<T extends BlockType> = Extract<Block, { type: T }>;

export type SectionColumn = {
  id: NodeId;
  /** Width relative to its neighbors: 1 and 2 are a third and two thirds. 1 to 12. */
  ratio: number;
  background: Color | null;
  padding: Padding;
  radius: number;
  vertical: 'top' | 'middle' | 'bottom';
  blocks: Block[];
};

export type GroupRule = { kind: 'group'; operator: 'in' | 'not_in'; group: string };
export type SegmentRule = { kind: 'segment'; operator: 'in' | 'not_in'; segment: string };
export type FieldConditionRule = {
  kind: 'field';
  /** Name as in merge tags: `firstname`, or a custom field. */
  field: string;
  operator: FieldOperator;
  /** '' for blank and not_blank. Numbers and dates (YYYY-MM-DD) are compared as such. */
  value: string;
};
export type ConditionRule = GroupRule | SegmentRule | FieldConditionRule;
/** Recipients who see the section. */
export type SectionCondition = { match: 'all' | 'any'; rules: ConditionRule[] };

export type Section = {
  id: NodeId;
  columns: SectionColumn[];
  /** `background` is behind the section's content; `outer_background` fills the window's width. */
  background: Color | null;
  outer_background: Color | null;
  background_image: DocumentImage | null;
  padding: Padding;
  border: Border | null;
  radius: number;
  /** Pixels between two columns. */
  gap: number;
  /** Stacking of columns on narrow screens: in order, reversed, or side by side. */
  stacking: 'stack' | 'reverse' | 'keep';
  mobile_padding: Padding | null;
  hide_on: HideOn | null;
  dark: { background?: Color; outer_background?: Color };
  condition: SectionCondition | null;
};

export type DarkColors = {
  background: Color;
  content_background: Color;
  text: Color;
  heading: Color;
  link: Color;
  button_background: Color;
  button_text: Color;
};

export type EmailSettings = {
  /** Width of the content in pixels: 320 to 800. */
  width: number;
  /** auto: by the language of the email. */
  direction: 'auto' | 'ltr' | 'rtl';
  /** Preview text after the subject; the preheader of a campaign takes precedence. */
  preheader: PlainLine;
  /** `background` surrounds the content; `content_background` is behind it. */
  background: Color;
  content_background: Color;
  text: { font: string; size: number; line_height: number; color: Color };
  heading: {
    font: string;
    weight: number;
    line_height: number;
    color: Color;
    /** Font sizes of levels 1, 2 and 3, in pixels. */
    sizes: [number, number, number];
  };
  link: { color: Color; is_underlined: boolean };
  button: {
    font: string;
    size: number;
    weight: number;
    background: Color;
    color: Color;
    radius: number;
    padding_x: number;
    padding_y: number;
  };
  /** Default pixels from the edge of the content to the blocks. */
  gutter: number;
  /** Null leaves dark mode to the email client. */
  dark: DarkColors | null;
};

export type EmailDocument = {
  version: typeof DOCUMENT_VERSION;
  settings: EmailSettings;
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
  'countdown',
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
export type SocialNetwork = (typeof NETWORKS)[number];

export const SOCIAL_STYLES = ['brand', 'dark', 'light', 'dark-sign', 'light-sign'] as const;
export type SocialStyle = (typeof SOCIAL_STYLES)[number];

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

/**
 * Maximum counts and lengths; the error for a document that exceeds one names the offending part.
 */
export const DOCUMENT_LIMITS = {
  bytes: 1024 * 1024,
  sections: 200,
  columns: 4,
  blocks: 500,
  rich: 50_000,
  html: 200_000,
  line: 1_000,
  countdown: 100,
  address: 2_000,
  links: 30,
  rows: 100,
  cells: 12,
  rules: 20,
} as const;

/** Calls `visit` for each block in reading order and passes its column and section. */
export function forEachBlock(
  document: EmailDocument,
  visit: (block: Block, column: SectionColumn, section: Section) => void,
): void {
  for (const section of document.sections) {
    for (const column of section.columns) {
      for (const block of column.blocks) visit(block, column, section);
    }
  }
}

/** Images of a block. */
export function listBlockImages(block: Block): DocumentImage[] {
  if (block.type === 'image' || block.type === 'product' || block.type === 'header') {
    return [block.image];
  }
  return block.type === 'video' ? [block.poster] : [];
}
