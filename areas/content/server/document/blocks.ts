// Renders blocks as MJML, with one function per type. Texts and URLs are inserted through slots.
import { mixColors, ensureContrast } from '../../colors.ts';
import type {
  Block,
  BlockOf,
  ProductBlock,
  BlockType,
  Color,
  DocumentImage,
  SocialBlock,
} from '../../document.ts';
import { toNarrowHeadingSize, computeImageWidth } from '../../document-layout.ts';
import { LOCALE } from '#platform/languages.ts';
import { findFont } from '../../fonts.ts';
import { cleanEmailHtml } from '../rich-text.ts';
import { buildPlaySource, buildIconSource } from '../art/social-icons.ts';
import { createCalendarLinks, formatEventTime } from './calendar.ts';
import { COUNTDOWN_SIZE, encodeCountdown, formatEnd } from './countdown.ts';
import {
  resolveAddress,
  createAddressLine,
  resolveAlign,
  formatBorder,
  formatCompanyName,
  type RenderFrame,
  renderRich,
  resolveFontStack,
  formatTextCss,
  resolveTypography,
} from './frame.ts';
import {
  renderButton,
  renderInlineButton,
  addNarrowSize,
  createOuterAttributes,
  renderImage,
  renderImageTag,
  renderText,
} from './block-parts.ts';
import { renderElement, escapeLine } from './slots.ts';
import { wrapInLoop } from './repeated-row.ts';

type Renderer<T extends BlockType> = (frame: RenderFrame, block: BlockOf<T>) => string;

export function renderBlock(frame: RenderFrame): string {
  const render = RENDERERS[frame.block.type] as (frame: RenderFrame, block: Block) => string;
  return render(frame, frame.block);
}

const RENDERERS: { [T in BlockType]: Renderer<T> } = {
  heading(frame, block) {
    const typography = resolveTypography(frame);
    const tag = `h${block.level}`;
    const line = Math.round(typography.size * typography.line_height);
    const style = `margin:0;font-size:${typography.size}px;line-height:${line}px;font-weight:${typography.weight};font-family:${resolveFontStack(frame, typography.font, typography.weight)}`;
    const innerHtml = renderRich(frame, block.html)
      .replace(/<p[^<>]*>/g, '')
      .replace(/<\/p>(?=.)/gs, '<br>')
      .replaceAll('</p>', '');
    const mobileSize = block.mobile.size ?? toNarrowHeadingSize(typography.size);
    const isOther = block.mobile.size !== undefined || mobileSize !== typography.size;
    const size = isOther
      ? addNarrowSize(frame, mobileSize, typography.line_height, ` ${tag}`)
      : undefined;
    if (innerHtml.trim() === '') return '';
    return renderText(frame, `<${tag} style="${style}">${innerHtml}</${tag}>`, size);
  },

  text(frame, block) {
    if (block.html.trim() === '') return '';
    const { size } = block.mobile;
    const name =
      size &&
      addNarrowSize(
        frame,
        size,
        resolveTypography(frame).line_height,
        ' div',
        ' p',
        ' li',
        ' span',
      );
    return renderText(frame, renderRich(frame, block.html), name);
  },

  image(frame, block) {
    return renderImage(frame, block.image, block.href, block.width, frame.padding);
  },

  button(frame, block) {
    return renderButton(frame, block.label, block.href, block.button, frame.padding);
  },

  divider(frame, block) {
    return renderElement('mj-divider', {
      ...createOuterAttributes(frame),
      'border-width': `${block.line.width}px`,
      'border-style': block.line.style,
      'border-color': block.line.color,
      width: `${block.width}%`,
      align: resolveAlign(frame, 'center'),
    });
  },

  spacer(frame, block) {
    const mobileHeight = block.mobile_height;
    const declarations = `height:${mobileHeight}px!important;line-height:${mobileHeight}px!important`;
    const name =
      mobileHeight !== null &&
      frame.styleSheet.addMobileRules({ selector: '{} div', declarations });
    return renderElement('mj-spacer', {
      ...createOuterAttributes(frame, name),
      height: `${block.height}px`,
    });
  },

  social: (frame, block) => renderSocial(frame, block),

  menu(frame, block) {
    const typography = { ...resolveTypography(frame), line_height: 1.5 };
    const gap = Math.round(block.gap / 2);
    const dark = frame.darkColor && frame.styleSheet.addDarkColor(frame.darkColor);
    const items = block.items.map(({ label, href }) => {
      const style = `${formatTextCss(frame, typography, frame.color)};text-decoration:none;display:inline-block;padding:4px ${gap}px`;
      return `<a href="${escapeLine(href)}" target="_blank" ${dark ? `class="${dark}" ` : ''}style="${style}">${escapeLine(label)}</a>`;
    });
    const outlookGap = '<!--[if mso]>&nbsp;&nbsp;<![endif]-->';
    const joint = block.separator === '' ? outlookGap : escapeLine(block.separator);
    return items.length === 0 ? '' : renderText(frame, items.join(joint), undefined, 'center');
  },

  video(frame, block) {
    const { poster } = block;
    const source = buildPlaySource(poster.src);
    const thumbnail: DocumentImage =
      poster.src === ''
        ? { src: source, width: 1200, height: 675, alt: poster.alt || frame.context.texts.play }
        : { ...poster, src: source, alt: poster.alt || frame.context.texts.play };
    return renderImage(frame, thumbnail, block.href, block.width, frame.padding);
  },

  product: (frame, block) =>
    block.layout === 'beside'
      ? renderProductBeside(frame, block)
      : renderProductStacked(frame, block),

  coupon(frame, block) {
    const { styleSheet, color, darkColor } = frame;
    const typography = resolveTypography(frame);
    const line = formatBorder(block.style.border) ?? 'none';
    const radius = block.style.radius ?? 0;
    const css = (size: number, weight: number) =>
      formatTextCss(frame, { ...typography, size, weight, line_height: 1.4 }, color);
    const code = `${css(Math.round(typography.size * 1.5), 700)};font-family:${findFont('Courier New').stack};letter-spacing:3px;padding:12px 0`;
    const dark = darkColor && styleSheet.addDarkColor(darkColor);
    const align = resolveAlign(frame, 'center');
    const renderPart = (style: string, html: string) =>
      html === '' ? '' : `<div${dark ? ` class="${dark}"` : ''} style="${style}">${html}</div>`;
    const innerHtml = [
      renderPart(css(typography.size + 2, 700), escapeLine(block.title)),
      renderPart(code, escapeLine(block.code)),
      renderPart(css(typography.size - 2, 400), renderRich(frame, block.html)),
      renderInlineButton(frame, block.label, block.href, block.button, align),
    ].join('');
    const td = `border:${line};border-radius:${radius}px;padding:24px;text-align:${align}`;
    return renderElement(
      'mj-table',
      { ...createOuterAttributes(frame), align, 'table-layout': 'auto', role: 'presentation' },
      frame.slots.addHtml(`<tr><td align="${align}" style="${td}">${innerHtml}</td></tr>`),
    );
  },

  event: (frame, block) => renderEvent(frame, block),

  countdown(frame, block) {
    const { context } = frame;
    const encoded = encodeCountdown(block, context.language);
    const src = encoded === undefined ? undefined : context.countdowns?.[encoded];
    if (src === undefined) return '';
    const image: DocumentImage = { src, alt: formatEnd(block, context), ...COUNTDOWN_SIZE };
    return renderImage(frame, image, block.href, block.width, frame.padding);
  },

  html(frame, block) {
    const html = cleanEmailHtml(block.html);
    return html.trim() === '' ? '' : renderText(frame, html);
  },

  table(frame, block) {
    const typography = resolveTypography(frame);
    const rule = formatBorder(block.line) ?? 'none';
    const dark = frame.darkColor && frame.styleSheet.addDarkColor(frame.darkColor);
    const rows = block.rows.map((row, r) => {
      const isHead = block.has_header && r === 0;
      const cells = row.map((cell, c) => {
        const tag = isHead ? 'th' : 'td';
        const align = resolveAlign({
          ...frame,
          block: { ...block, style: { align: block.aligns[c] } },
        });
        const stripe =
          block.is_striped && !isHead && r % 2 === 1 ? ';background:rgba(127,127,127,0.1)' : '';
        const style = `${formatTextCss(frame, { ...typography, weight: isHead ? 700 : 400 }, frame.color)};border-bottom:${rule};padding:8px;text-align:${align}${stripe}`;
        return `<${tag}${isHead ? ' scope="col"' : ''} align="${align}"${dark ? ` class="${dark}"` : ''} style="${style}">${renderRich(frame, cell)}</${tag}>`;
      });
      return wrapInLoop(block, r, `<tr>${cells.join('')}</tr>`);
    });
    return renderElement(
      'mj-table',
      createOuterAttributes(frame),
      frame.slots.addHtml(rows.join('')),
    );
  },

  header(frame, block) {
    const { logo, website } = frame.context;
    const image = block.image.src === '' ? logo : block.image;
    const href = block.href || website;
    if (image) {
      const width = Math.min(block.width, computeImageWidth(frame.box, frame.padding, 100));
      const namedImage = { ...image, alt: image.alt || formatCompanyName(frame.context) };
      return renderImageTag(frame, namedImage, href, width, false);
    }
    const typography = {
      font: frame.settings.heading.font,
      size: 22,
      line_height: 1.3,
      weight: 700,
    };
    const style = `${formatTextCss(frame, typography, frame.color)};text-decoration:none`;
    const dark = frame.darkColor && frame.styleSheet.addDarkColor(frame.darkColor);
    const name = dark ? ` class="${dark}"` : '';
    const nameHtml =
      href === ''
        ? `<span${name} style="${style}">{{company}}</span>`
        : `<a href="${escapeLine(href)}" target="_blank"${name} style="${style}">{{company}}</a>`;
    return renderText(frame, nameHtml, undefined, 'center');
  },

  footer(frame, block) {
    const { context } = frame;
    const dark = frame.darkColor && frame.styleSheet.addDarkColor(frame.darkColor);
    const link = (href: string, label: string) =>
      `<a href="${href}" target="_blank"${dark ? ` class="${dark}"` : ''} style="color:${frame.color};text-decoration:underline">${escapeLine(label)}</a>`;
    const links = [
      link('{{unsubscribe_link}}', block.unsubscribe_label || context.texts.unsubscribe),
    ];
    if (block.preferences_label) links.push(link('{{preferences_url}}', block.preferences_label));
    if (block.browser_label !== '') links.push(link('{{browser_preview}}', block.browser_label));
    const lines = [
      block.html.trim() === '' ? '' : renderRich(frame, block.html),
      block.has_address ? createAddressLine(context) : '',
      links.join(' &nbsp;·&nbsp; '),
    ];
    const gap = '<div style="height:8px;line-height:8px;font-size:8px">&nbsp;</div>';
    return renderText(frame, lines.filter(Boolean).join(gap), undefined, 'center');
  },
};

function renderEvent(frame: RenderFrame, block: BlockOf<'event'>): string {
  const { styleSheet, color, darkColor, context } = frame;
  const typography = resolveTypography(frame);
  const dark = darkColor && styleSheet.addDarkColor(darkColor);
  const css = (size: number, weight: number) =>
    formatTextCss(frame, { ...typography, size, weight, line_height: 1.4 }, color);
  const renderPart = (style: string, html: string) =>
    html === '' ? '' : `<div${dark ? ` class="${dark}"` : ''} style="${style}">${html}</div>`;
  // Calendar links are rendered as rich text, so that they have the style of links in text.
  const links = createCalendarLinks(block).map(({ name, href }) =>
    renderRich(frame, `<a href="${escapeLine(href)}">${name}</a>`),
  );
  const smallCss = css(typography.size - 2, 400);
  const add = `${escapeLine(context.texts.addToCalendar)} ${links.join(' · ')}`;
  const innerHtml = [
    renderPart(css(typography.size + 2, 700), escapeLine(block.title)),
    renderPart(
      `${css(typography.size, 400)};padding-top:4px`,
      escapeLine(formatEventTime(block, LOCALE[context.language])),
    ),
    renderPart(css(typography.size, 400), escapeLine(block.place)),
    renderPart(`${smallCss};padding-top:12px`, links.length === 0 ? '' : add),
    renderPart(smallCss, links.length === 0 ? '' : escapeLine(context.texts.calendarFile)),
  ].join('');
  if (innerHtml === '') return '';
  const align = resolveAlign(frame, 'center');
  const line = formatBorder(block.style.border) ?? 'none';
  const td = `border:${line};border-radius:${block.style.radius ?? 0}px;padding:24px;text-align:${align}`;
  return renderElement(
    'mj-table',
    { ...createOuterAttributes(frame), align, 'table-layout': 'auto', role: 'presentation' },
    frame.slots.addHtml(`<tr><td align="${align}" style="${td}">${innerHtml}</td></tr>`),
  );
}

function renderSocial(frame: RenderFrame, block: SocialBlock): string {
  const { slots, context } = frame;
  const links = block.links.filter(({ href }) => href !== '');
  if (links.length === 0) return '';
  const gap = Math.round(block.gap / 2);
  const children = links.map(({ network, href }) =>
    renderElement('mj-social-element', {
      src: slots.addLine(
        resolveAddress(context, buildIconSource(network, block.look, block.shape)),
      ),
      alt: context.texts.networks[network],
      href: slots.addLine(href),
      'icon-size': `${block.icon_size}px`,
      padding: `0 ${gap}px`,
    }),
  );
  return renderElement(
    'mj-social',
    { ...createOuterAttributes(frame), mode: 'horizontal', align: resolveAlign(frame, 'center') },
    children.join(''),
  );
}

/**
 * Creates attributes for a color that is fainter than the price beside it but still readable (WCAG
 * 2.2, 1.4.3): mixes the background into the color.
 */
function createFaintStyle({
  color,
  background: ground,
  darkColor,
  darkBackground,
  styleSheet,
}: RenderFrame): string {
  const toFaintColor = (base: Color, background: Color) =>
    ensureContrast(mixColors(base, background, 0.35), background);
  const dark =
    darkColor && darkBackground
      ? styleSheet.addDarkColor(toFaintColor(darkColor, darkBackground))
      : undefined;
  return `${dark ? ` class="${dark}"` : ''} style="color:${toFaintColor(color, ground)}"`;
}

function renderPrices(frame: RenderFrame, block: ProductBlock): string {
  const oldPrice =
    block.old_price === ''
      ? ''
      : ` <s${createFaintStyle(frame)}>${escapeLine(block.old_price)}</s>`;
  const css = formatTextCss(frame, { ...resolveTypography(frame), weight: 700 }, frame.color);
  const dark = frame.darkColor && frame.styleSheet.addDarkColor(frame.darkColor);
  return block.price === '' && oldPrice === ''
    ? ''
    : `<div${dark ? ` class="${dark}"` : ''} style="${css};padding-top:4px">${escapeLine(block.price)}${oldPrice}</div>`;
}

function renderProductText(frame: RenderFrame, block: ProductBlock): string {
  const typography = resolveTypography(frame);
  const name = formatTextCss(
    frame,
    {
      ...typography,
      font: frame.settings.heading.font,
      size: typography.size + 2,
      weight: 700,
      line_height: 1.3,
    },
    frame.color,
  );
  const dark = frame.darkColor && frame.styleSheet.addDarkColor(frame.darkColor);
  const darkClass = dark ? ` class="${dark}"` : '';
  const title = `<div${darkClass} style="${name}">${escapeLine(block.name)}</div>`;
  const content =
    block.html.trim() === ''
      ? ''
      : `<div${darkClass} style="${formatTextCss(frame, { ...typography, size: typography.size - 1 }, frame.color)};padding-top:6px">${renderRich(frame, block.html)}</div>`;
  return `${block.name === '' ? '' : title}${renderPrices(frame, block)}${content}`;
}

function renderProductStacked(frame: RenderFrame, block: ProductBlock): string {
  const { padding } = frame;
  const middle = { ...padding, top: 8, bottom: 0 };
  const image = renderImage(frame, block.image, block.href, 100, { ...padding, bottom: 4 });
  const content = renderText({ ...frame, padding: middle }, renderProductText(frame, block));
  const action = renderButton(frame, block.label, block.href, block.button, {
    ...padding,
    top: 12,
  });
  return image + content + action;
}

function renderProductBeside(frame: RenderFrame, block: ProductBlock): string {
  const { isRtl, slots, context, padding, box } = frame;
  const contentWidth = box.content - padding.start - padding.end;
  const width = Math.round(contentWidth * 0.38);
  const { image } = block;
  const height =
    image.width && image.height ? Math.round((width * image.height) / image.width) : undefined;
  const start = isRtl ? 'right' : 'left';
  const img = `<img src="${escapeLine(resolveAddress(context, image.src))}" alt="${escapeLine(image.alt)}" width="${width}"${height ? ` height="${height}"` : ''} style="display:block;border:0;width:100%;max-width:${width}px;height:auto;border-radius:${block.style.radius ?? 0}px">`;
  const linkedImage =
    block.href === '' ? img : `<a href="${escapeLine(block.href)}" target="_blank">${img}</a>`;
  const imageCell =
    image.src === ''
      ? ''
      : `<td width="${width}" valign="top" style="width:38%">${linkedImage}</td>`;
  const content =
    renderProductText(frame, block) +
    renderInlineButton(frame, block.label, block.href, block.button, start);
  const gap = image.src === '' ? 0 : 20;
  const textCell = `<td valign="top" align="${start}" style="padding-${start}:${gap}px;text-align:${start}">${content}</td>`;
  return renderElement(
    'mj-table',
    { ...createOuterAttributes(frame), align: start, role: 'presentation' },
    slots.addHtml(`<tr>${imageCell}${textCell}</tr>`),
  );
}
