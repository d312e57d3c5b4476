// Renders rich text for mail clients: inline styles, because many ignore style sheets; left and
// right instead of start and end.
import sanitize from 'sanitize-html';
import { RICH_TAGS } from '#platform/rich-text.ts';
import type { Color } from '../../document.ts';
import { computeContrast, ensureContrast } from '../../colors.ts';
import { maskTags, unmask } from '../html/masked-source.ts';
import { cleanRichText, unwrapListItems } from '../rich-text.ts';

export type RichTextStyle = {
  isRtl: boolean;
  link: { color: Color; is_underlined: boolean };
  /** Class of links in dark mode. */
  linkClass: string | undefined;
  /** Pixels between two paragraphs. */
  gap: number;
  /** Background in dark mode, and the class of a color readable on it. */
  darkBackground: Color | undefined;
  addDarkColor: (color: Color) => string;
};

/** @param html rich text, cleaned or not */
export function renderRichText(html: string, textStyle: RichTextStyle): string {
  const masked = maskTags(unwrapListItems(cleanRichText(html)), true);
  const start = textStyle.isRtl ? 'right' : 'left';
  const styledHtml = sanitize(masked.text, {
    allowedTags: [...RICH_TAGS],
    allowedAttributes: false,
    parseStyleAttributes: false,
    transformTags: {
      p: createStyleTransformer({ margin: `0 0 ${textStyle.gap}px` }, textStyle),
      ul: createStyleTransformer(
        { margin: `0 0 ${textStyle.gap}px`, padding: '0', [`padding-${start}`]: '24px' },
        textStyle,
      ),
      ol: createStyleTransformer(
        { margin: `0 0 ${textStyle.gap}px`, padding: '0', [`padding-${start}`]: '24px' },
        textStyle,
      ),
      li: createStyleTransformer({ margin: '0 0 4px' }, textStyle),
      span: createStyleTransformer({}, textStyle),
      a: (tagName, attribs) => {
        const line = textStyle.link.is_underlined ? 'underline' : 'none';
        const style = `color:${textStyle.link.color};text-decoration:${line}`;
        const linkAttributes: sanitize.Attributes = { ...attribs, style, target: '_blank' };
        if (textStyle.linkClass !== undefined) linkAttributes.class = textStyle.linkClass;
        return { tagName, attribs: linkAttributes };
      },
    },
  });
  return unmask(removeLastGap(styledHtml, textStyle.gap), masked.tags);
}

function createStyleTransformer(
  ownStyles: Record<string, string>,
  textStyle: RichTextStyle,
): sanitize.Transformer {
  return (tagName, { style = '', ...attribs }) => {
    const declarations = Object.fromEntries(
      style
        .split(';')
        .map((declaration) => declaration.split(':').map((part) => part.trim()))
        .filter((pair) => pair.length === 2),
    ) as Record<string, string>;
    const styles: Record<string, string> = { ...ownStyles, ...declarations };
    if (styles['text-align'])
      styles['text-align'] = toPhysicalAlign(styles['text-align'], textStyle.isRtl);
    const styleText = Object.entries(styles)
      .map(([name, value]) => `${name}:${value}`)
      .join(';');
    const dark = resolveDarkClass(styles, textStyle);
    return {
      tagName,
      attribs: {
        ...attribs,
        ...(dark === undefined ? {} : { class: dark }),
        ...(styleText === '' ? {} : { style: styleText }),
      },
    };
  };
}

/** Returns the class of a readable color, if an explicit color is unreadable in dark mode. */
function resolveDarkClass(
  style: Record<string, string>,
  textStyle: RichTextStyle,
): string | undefined {
  const { color } = style;
  const background = style['background-color'] ?? textStyle.darkBackground;
  if (color === undefined || !isColor(color) || background === undefined || !isColor(background)) {
    return undefined;
  }
  return computeContrast(color, background) >= 4.5
    ? undefined
    : textStyle.addDarkColor(ensureContrast(color, background));
}

const isColor = (text: string): text is Color => /^#[0-9a-f]{6}$/i.test(text);

export function toPhysicalAlign(align: string, isRtl: boolean): string {
  if (align === 'start') return isRtl ? 'right' : 'left';
  if (align === 'end') return isRtl ? 'left' : 'right';
  return align;
}

function removeLastGap(html: string, gap: number): string {
  const margin = `margin:0 0 ${gap}px`;
  const lastIndex = html.lastIndexOf(margin);
  if (lastIndex === -1 || /<(p|ul|ol)\b/.test(html.slice(lastIndex))) return html;
  return `${html.slice(0, lastIndex)}margin:0${html.slice(lastIndex + margin.length)}`;
}
