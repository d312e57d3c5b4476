// Renders the style sheet of a form. Only colors and fonts that match a pattern, and bounded
// numbers, are inserted, so that an author's values cannot add other CSS.
import { type FormType, type FormLayout, type Styles, STYLES } from './document.ts';
import { withOwnName } from './fonts.ts';
import { chooseReadableColor } from './readable-color.ts';

const COLOR = /^#[0-9a-f]{3,8}$/i;
const FONT = /^[\w '",.-]{1,200}$/;

export const pixels = (value: number, max: number) =>
  Math.round(Math.min(max, Math.max(0, Number(value) || 0)));

/** Compiles a form's styles; its layout and its type determine the arrangement. */
export function renderStyleSheet(styles: Styles, layout: FormLayout, type: FormType): string {
  const theme = themeOf({ ...STYLES, ...styles }, layout, type);
  return [
    ...boxRules(theme),
    ...textRules(theme),
    ...pictureRules(theme),
    ...fieldRules(theme),
    ...buttonRules(theme),
    ...overlayRules(theme),
    ...wheelRules(theme),
    ...mediaRules(theme),
  ].join('');
}

type Weight = 'textWeight' | 'headingWeight' | 'buttonWeight';

/** The styles as CSS values, and the properties of the layout that several rules depend on. */
type Theme = {
  styles: Styles;
  layout: FormLayout;
  isPopup: boolean;
  /** True if the form is next to its image or wheel. */
  isWide: boolean;
  /** True if fields are side by side. */
  isRow: boolean;
  align: 'center' | 'start';
  color: (key: keyof Styles) => string;
  px: (key: keyof Styles, max: number) => string;
  weight: (key: Weight) => number;
};

function themeOf(styles: Styles, layout: FormLayout, type: FormType): Theme {
  return {
    styles,
    layout,
    isPopup: type !== 'embed',
    isWide: ['picture-start', 'picture-behind', 'wheel-beside'].includes(layout),
    isRow: layout === 'row' || layout === 'bar',
    align: styles.align === 'center' ? 'center' : 'start',
    color: (key) => {
      const value = String(styles[key]);
      return COLOR.test(value) ? value : String(STYLES[key]);
    },
    px: (key, max) => `${pixels(Number(styles[key]), max)}px`,
    weight: (key) =>
      Math.round(Math.min(900, Math.max(100, Number(styles[key]) || 400)) / 100) * 100,
  };
}

function boxRules({ styles, layout, isPopup, isWide, isRow, align, color, px, weight }: Theme) {
  const font = FONT.test(styles.font) ? withOwnName(styles.font) : 'inherit';
  const width = `${pixels(styles.width, 1200) * (isWide ? 1.6 : 1)}px`;
  return [
    `*{box-sizing:border-box}`,
    `.sender-form-box{position:relative;display:flex;flex-direction:${isWide ? 'row' : 'column'};width:100%;max-width:${layout === 'full' || layout === 'bar' ? 'none' : width};margin:${isPopup ? '0' : '0 auto'};background:${color('background')};color:${color('colour')};border:${px('borderWidth', 40)} solid ${color('borderColour')};border-radius:${px('radius', 100)};overflow:auto;max-height:100%;font-family:${font};font-size:${px('textSize', 40)};font-weight:${weight('textWeight')};line-height:1.5;text-align:${align}${styles.shadow && isPopup ? ';box-shadow:0 8px 40px #0000002e' : ''}}`,
    `.sender-form{flex:1 1 0;min-width:0;margin:0;padding:${layout === 'bar' ? '12px' : '28px'};${layout === 'bar' ? 'padding-inline:16px 56px' : ''}}`,
    `.sender-form-els{display:flex;flex-direction:${isRow ? 'row' : 'column'};flex-wrap:wrap;gap:${px('spacing', 80)};align-items:${isRow ? 'end' : 'stretch'}}`,
    isRow
      ? `.sender-form-els>*{flex:1 1 180px;margin:0}.sender-form-els>.sender-form-button{flex:0 1 auto;width:auto}.sender-form-els>.sender-form-title,.sender-form-els>p{flex:1 1 100%}${layout === 'bar' ? '.sender-form-els>.sender-form-title,.sender-form-els>p{flex:1 1 140px;align-self:center}.sender-form-els>.sender-form-text{flex:2 1 200px}' : ''}`
      : '',
  ];
}

function textRules({ styles, layout, isPopup, align, color, px, weight }: Theme) {
  const headingFont =
    styles.headingFont && FONT.test(styles.headingFont)
      ? `;font-family:${withOwnName(styles.headingFont)}`
      : '';
  return [
    `.sender-form-title{margin:0;color:${color('heading')};font-size:${px('headingSize', 80)};line-height:1.2;font-weight:${weight('headingWeight')}${headingFont}}`,
    // Leaves space for the close button.
    isPopup && ['card', 'picture-start', 'corner', 'two-steps'].includes(layout)
      ? `.sender-form-els>.sender-form-title:first-child{padding-inline:${align === 'center' ? '20px' : '0'} 20px}`
      : '',
    `.sender-form-text,.sender-form-code{margin:0;white-space:pre-line}`,
    `.sender-form-code output{display:block;margin-top:8px;padding:12px;border:2px dashed currentColor;border-radius:8px;font-size:1.25em;font-weight:700;letter-spacing:.06em;text-align:center}.sender-form-code output:empty{display:none}.sender-form-prize{display:block;margin-top:8px;color:${color('heading')};font-size:1.25em;font-weight:700}.sender-form-copy{display:block;min-height:40px;margin:8px auto 0;padding:8px 16px;background:none;color:inherit;border:1px solid currentColor;border-radius:${px('buttonRadius', 60)};font:inherit;cursor:pointer}`,
    `a{color:inherit;text-decoration:underline}`,
    `hr{width:100%;margin:0;border:0;border-top:1px solid ${color('borderColour')}}`,
    ...[...Array(26).keys()].map((i) => `.space-${i * 8}{height:${i * 8}px}`),
  ];
}

function pictureRules({ layout, color, px }: Theme) {
  return [
    `.sender-form-image{display:block;max-width:100%;height:auto;border-radius:4px}.sender-form-image.empty{min-height:120px;background:#00000012}`,
    `.sender-form-picture{display:block;object-fit:cover;${layout === 'picture-start' ? 'width:40%;min-height:100%' : layout === 'picture-behind' ? 'position:absolute;inset:0;width:100%;height:100%;z-index:0' : 'width:100%;height:220px'}}`,
    layout === 'full'
      ? '.sender-form-picture{flex:none;width:min(560px,100%);height:auto;aspect-ratio:16/9;margin:auto auto 0}'
      : '',
    layout === 'picture-behind'
      ? `.sender-form{position:relative;z-index:1;margin:24px auto 24px 24px;max-width:${px('width', 1200)};background:${color('background')};border-radius:${px('radius', 100)}}`
      : '',
  ];
}

function fieldRules({ styles, color, px }: Theme) {
  return [
    `.sender-form-flex{display:flex;gap:12px}.sender-form-flex>*{flex:1 1 0;min-width:0}`,
    `.sender-form-field{display:flex;flex-direction:column;gap:6px;min-width:0;margin:0;padding:0;border:0;text-align:start}`,
    `.label,legend{padding:0;font-weight:500;color:${color('heading')}}.label.quiet{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}`,
    // Phones zoom into fields with text smaller than 16 px.
    `.sender-form-input{width:100%;min-height:44px;padding:8px 12px;background:${color('fieldBackground')};color:${color('fieldColour')};border:${px('fieldBorderWidth', 20)} solid ${color('fieldBorder')};border-radius:${px('fieldRadius', 60)};${styles.fieldShadow ? 'box-shadow:0 1px 4px #00000026;' : ''}font-family:inherit;font-size:max(16px,1em);line-height:1.4}`,
    // Addresses and numbers are left-to-right also in right-to-left languages.
    `input[type=email],input[type=tel],input[type=url]{unicode-bidi:plaintext}`,
    `.sender-form-input[aria-invalid]{border-color:${chooseReadableColor(color('fieldBackground'), ['#c4261d', '#ffb4ab', '#ffffff'])}}`,
    `.box{display:flex;gap:10px;align-items:start;padding:4px 0;cursor:pointer}.box input{flex:none;width:20px;height:20px;margin:2px 0 0}.consent{font-size:.875em}`,
  ];
}

function buttonRules({ styles, layout, align, color, px, weight }: Theme) {
  return [
    `.sender-form-button{${styles.buttonFull && layout !== 'bar' ? 'width:100%;' : `align-self:${layout === 'bar' ? 'end' : align};`}min-height:44px;padding:10px 20px;background:${color('button')};color:${color('buttonColour')};border:${px('buttonBorderWidth', 20)} solid ${color('buttonBorderColour')};border-radius:${px('buttonRadius', 60)};${styles.buttonShadow ? 'box-shadow:0 3px 10px #00000033;' : ''}font:inherit;font-weight:${weight('buttonWeight')};cursor:pointer}`,
    `.sender-form-button:hover{filter:brightness(.92)}.sender-form-button:active{filter:brightness(.85)}.sender-form-input:hover{border-color:${color('fieldColour')}}.sender-form-close:hover{background-color:#7f7f7f33}`,
    `.sender-form-button[aria-busy]{opacity:.6;cursor:progress}`,
    `.sender-form-decline{align-self:center;padding:4px 8px;background:none;border:0;color:inherit;font:inherit;text-decoration:underline;cursor:pointer}`,
    `:focus-visible{outline:3px solid ${color('button')};outline-offset:2px}.sender-form-box:focus-visible,[role=status]:focus-visible{outline:none}`,
  ];
}

/** Rules for messages, the close button, the backdrop of a popup, and hidden parts. */
function overlayRules({ color }: Theme) {
  const faultInk = chooseReadableColor(color('background'), [
    '#b3231b',
    '#ffb4ab',
    '#6b0f08',
    '#ffffff',
  ]);
  return [
    `.sender-form-fault{margin:0;color:${faultInk};font-size:.875em}.sender-form-fault:empty{display:none}`,
    `.sender-form-close{position:absolute;top:4px;inset-inline-end:4px;z-index:2;width:40px;height:40px;padding:0;background:radial-gradient(circle,${color('background')} 15px,#00000026 15.5px,#0000 17px);border:0;border-radius:50%;color:${color('heading')};font:24px/1 system-ui;cursor:pointer}`,
    `.sender-modal-background{position:fixed;inset:0;background:${color('overlay')}}`,
    `.sender-form-captcha{display:block;max-width:100%;border:0}`,
    `.trap{position:absolute;inset-inline-start:-9999px;width:1px;height:1px;overflow:hidden}`,
  ];
}

function wheelRules({ layout }: Theme) {
  return [
    `.wheel{flex:0 0 auto;width:min(${layout === 'wheel-above' ? '280px' : '320px'},70vw);margin:${layout === 'wheel-above' ? '20px auto -8px' : 'auto'};${layout === 'wheel-above' ? '' : 'margin-inline:0 28px;'}aspect-ratio:1}`,
  ];
}

function mediaRules({ layout }: Theme) {
  return [
    `@media (max-width:640px){.sender-form-box{flex-direction:column;max-width:100%}.sender-form{max-width:none;margin:0}.sender-form-picture{width:100%;min-height:0;position:static;height:160px}.sender-form-flex{flex-direction:column}.wheel{order:-1;margin:20px auto 0;width:min(220px,60vw)}${layout === 'bar' ? '.sender-form-els{gap:8px}.sender-form-els>.sender-form-button{flex:1 1 100%}' : ''}}`,
    `@media (prefers-reduced-motion:reduce){*{transition:none!important;animation:none!important}}`,
  ];
}
