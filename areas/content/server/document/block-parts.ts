// Renders the texts, images and buttons of blocks as MJML, and creates the attributes that every
// type of block needs on its outer element.
import type { Block, ButtonStyle, Padding, DocumentImage } from '../../document.ts';
import { readHideOn, computeImageWidth } from '../../document-layout.ts';
import {
  resolveAddress,
  resolveAlign,
  formatBorder,
  resolveButtonColors,
  type RenderFrame,
  formatPadding,
  resolveFontStack,
  resolveTypography,
} from './frame.ts';
import { renderElement, escapeLine } from './slots.ts';
import { joinClasses } from './style-sheet.ts';

/** Creates the attributes for padding, background and classes, common to all blocks. */
export function createOuterAttributes(
  frame: RenderFrame,
  ...names: (string | undefined | false | 0)[]
) {
  const { block, styleSheet, isRtl, padding } = frame;
  return {
    padding: formatPadding(padding, isRtl),
    'container-background-color': block.style.background,
    'css-class': joinClasses(
      addHiddenClass(frame),
      addNarrowClass(frame),
      block.style.background &&
        frame.darkBackground &&
        styleSheet.addDarkBackground(frame.darkBackground),
      ...names.map((name) => name || undefined),
    ),
  };
}

function addHiddenClass({ block, styleSheet }: RenderFrame): string | undefined {
  const screens = readHideOn(block);
  if (screens === 'mobile') {
    return styleSheet.addMobileRules({ selector: '{}', declarations: 'display:none!important' });
  }
  if (screens !== 'desktop') return undefined;
  const name = styleSheet.addRules({ selector: '{}', declarations: 'display:none;mso-hide:all' });
  const visibleClass = styleSheet.addMobileRules({
    selector: '{}',
    declarations: 'display:table-cell!important',
  });
  return `${name} ${visibleClass}`;
}

/**
 * Adds the class for padding, alignment and gutters on narrow screens, where columns are stacked.
 */
function addNarrowClass(frame: RenderFrame): string | undefined {
  const { block, styleSheet, settings, column, isRtl } = frame;
  const { padding, align } = block.mobile;
  const names: string[] = [];
  if (padding) {
    const declarations = `padding:${formatPadding(padding, isRtl)}!important`;
    names.push(styleSheet.addMobileRules({ selector: '{}', declarations }));
  } else if (!block.style.padding && isStacked(frame) && column.background === null) {
    const declarations = `padding-left:${settings.gutter}px!important;padding-right:${settings.gutter}px!important`;
    names.push(styleSheet.addMobileRules({ selector: '{}', declarations }));
  }
  if (align) {
    const side = resolveAlign({ ...frame, block: { ...block, style: { align } } });
    const margin = { left: '0 auto 0 0', center: '0 auto', right: '0 0 0 auto' }[side];
    names.push(
      styleSheet.addMobileRules(
        { selector: '{},{} div,{} h1,{} h2,{} h3', declarations: `text-align:${side}!important` },
        { selector: '{}>table', declarations: `margin:${margin}!important;float:none!important` },
      ),
    );
  }
  return names.join(' ') || undefined;
}

export function addNarrowSize(
  { styleSheet }: RenderFrame,
  size: number,
  lineHeight: number,
  ...selectors: string[]
): string {
  const declarations = `font-size:${size}px!important;line-height:${Math.round(size * lineHeight)}px!important`;
  return styleSheet.addMobileRules({
    selector: selectors.map((selector) => `{}${selector}`).join(','),
    declarations,
  });
}

export function renderText(
  frame: RenderFrame,
  html: string,
  name?: string | 0,
  usualAlign: 'start' | 'center' = 'start',
): string {
  const { block, slots, styleSheet, darkColor, color } = frame;
  const typography = resolveTypography(frame);
  return renderElement(
    'mj-text',
    {
      ...createOuterAttributes(
        frame,
        darkColor && styleSheet.addDarkColor(darkColor, '{} div'),
        name,
      ),
      align: resolveAlign(frame, usualAlign),
      color: color,
      'font-family': resolveFontStack(frame, typography.font, typography.weight),
      'font-size': `${typography.size}px`,
      'line-height': `${Math.round(typography.size * typography.line_height)}px`,
      'font-weight': typography.weight,
    },
    slots.addHtml(wrapInBox(block, html)),
  );
}

/**
 * Draws the border and rounded corners of a block's style as a box around its text. Coupons and
 * events draw their own boxes.
 */
function wrapInBox({ type, style }: Block, html: string): string {
  if (type === 'coupon' || type === 'event' || (!style.border && !style.radius)) return html;
  const css = [
    `border:${formatBorder(style.border) ?? 'none'}`,
    `border-radius:${style.radius ?? 0}px`,
    'padding:16px',
    style.background ? `background:${style.background}` : '',
  ];
  return `<div style="${css.filter(Boolean).join(';')}">${html}</div>`;
}

export function renderImage(
  frame: RenderFrame,
  image: DocumentImage,
  href: string,
  percent: number,
  padding: Padding,
): string {
  const width = computeImageWidth(frame.box, padding, percent);
  return renderImageTag({ ...frame, padding }, image, href, width, percent === 100);
}

export function renderImageTag(
  frame: RenderFrame,
  image: DocumentImage,
  href: string,
  width: number,
  isWhole: boolean,
): string {
  if (image.src === '') return '';
  const { slots, context, block } = frame;
  const height =
    image.width && image.height ? Math.round((width * image.height) / image.width) : undefined;
  return renderElement('mj-image', {
    ...createOuterAttributes(frame),
    src: slots.addLine(resolveAddress(context, image.src)),
    alt: slots.addLine(image.alt),
    href: href === '' ? undefined : slots.addLine(href),
    // An image that fills its column fills the screen when columns are stacked on narrow screens.
    'fluid-on-mobile': isStacked(frame) && isWhole ? 'true' : undefined,
    width: `${width}px`,
    height: height === undefined ? undefined : `${height}px`,
    align: resolveAlign(frame, 'center'),
    border: formatBorder(block.style.border),
    'border-radius': block.style.radius ? `${block.style.radius}px` : undefined,
    'font-size': '14px',
  });
}

const isStacked = ({ section }: RenderFrame) =>
  section.columns.length > 1 && section.stacking !== 'keep';

export function renderButton(
  frame: RenderFrame,
  label: string,
  href: string,
  buttonStyle: ButtonStyle,
  padding: Padding,
): string {
  if (label.trim() === '') return '';
  const { settings, slots, styleSheet, block } = frame;
  const { background, color, dark } = resolveButtonColors(frame, buttonStyle);
  const defaults = settings.button;
  const { font = defaults.font, size = defaults.size, weight = defaults.weight } = block.style;
  return renderElement(
    'mj-button',
    {
      ...createOuterAttributes(
        { ...frame, padding },
        dark && styleSheet.addDarkBackground(dark.background, '{} td,{} a'),
        dark && styleSheet.addDarkColor(dark.color, '{} a'),
      ),
      href: href === '' ? undefined : slots.addLine(href),
      align: resolveAlign(frame),
      'background-color': background,
      color,
      border: formatBorder(buttonStyle.border),
      'border-radius': `${buttonStyle.radius ?? defaults.radius}px`,
      'font-family': resolveFontStack(frame, font, weight),
      'font-size': `${size}px`,
      'font-weight': weight,
      'inner-padding': `${defaults.padding_y}px ${defaults.padding_x}px`,
      'line-height': '120%',
      width: buttonStyle.is_wide ? '100%' : undefined,
    },
    slots.addLine(label),
  );
}

/**
 * Renders a button inside one of our tables, where MJML's button is not possible. It is a cell
 * because Outlook ignores the padding and background of links.
 */
export function renderInlineButton(
  frame: RenderFrame,
  label: string,
  href: string,
  buttonStyle: ButtonStyle,
  align: 'left' | 'center' | 'right',
): string {
  if (label.trim() === '') return '';
  const { settings, styleSheet } = frame;
  const { background, color, dark } = resolveButtonColors(frame, buttonStyle);
  const defaults = settings.button;
  const pad = `${defaults.padding_y - 2}px ${defaults.padding_x - 4}px`;
  const createClassAttribute = (name: string | undefined) => (name ? ` class="${name}"` : '');
  const border = `border:${formatBorder(buttonStyle.border) ?? 'none'}`;
  const cell = `border-radius:${buttonStyle.radius ?? defaults.radius}px;${border};background:${background};mso-padding-alt:${pad}`;
  const style = `display:inline-block;color:${color};font-family:${resolveFontStack(frame, defaults.font, defaults.weight)};font-size:${defaults.size - 1}px;font-weight:${defaults.weight};line-height:120%;text-decoration:none;padding:${pad}`;
  const link = `<a href="${escapeLine(href || '#')}" target="_blank"${createClassAttribute(dark && styleSheet.addDarkColor(dark.color))} style="${style}">${escapeLine(label)}</a>`;
  const td = `<td align="center" bgcolor="${background}"${createClassAttribute(dark && styleSheet.addDarkBackground(dark.background))} style="${cell}">${link}</td>`;
  return `<table role="presentation" align="${align}" border="0" cellpadding="0" cellspacing="0" style="border-collapse:separate;margin-top:14px"><tr>${td}</tr></table>`;
}
