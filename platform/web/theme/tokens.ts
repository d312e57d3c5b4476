// The brand colors of the screens, light and dark. tokens.test.ts computes the contrast of every
// pair that screens may combine.

export interface Palette {
  canvas: string;
  surface: string;
  raised: string;
  /** A row or an entry under the pointer. */
  hover: string;
  text: string;
  muted: string;
  hairline: string;
  /** The edge of inputs and checkboxes: 3:1 against its background (WCAG 1.4.11). */
  control: string;
  primary: string;
  primaryHover: string;
  onPrimary: string;
  accent: string;
  success: string;
  warning: string;
  danger: string;
  dangerHover: string;
  /** A soft background for each meaning, and the text color on it. */
  primaryTint: string;
  primaryTintHover: string;
  primaryInk: string;
  successTint: string;
  successInk: string;
  warningTint: string;
  warningInk: string;
  dangerTint: string;
  dangerInk: string;
  shadow: string;
  series: readonly [string, string, string, string, string, string];
}

export const light: Palette = {
  canvas: '#F7F7F5',
  surface: '#FFFFFF',
  raised: '#FFFFFF',
  hover: '#F1F1EE',
  text: '#1B1D22',
  muted: '#5B606B',
  hairline: '#E4E4E0',
  control: '#858A94',
  primary: '#3B4FE4',
  primaryHover: '#3043CC',
  onPrimary: '#FFFFFF',
  accent: '#E8622C',
  success: '#1B7F4B',
  warning: '#A15C00',
  danger: '#C02B3C',
  dangerHover: '#A82534',
  primaryTint: '#EEF0FD',
  primaryTintHover: '#E2E6FB',
  primaryInk: '#3043CC',
  successTint: '#E6F4EC',
  successInk: '#166A3E',
  warningTint: '#FBF1E1',
  warningInk: '#8A4E00',
  dangerTint: '#FBE9EB',
  dangerInk: '#A82534',
  shadow: '0 1px 2px rgb(27 29 34 / 6%), 0 8px 24px rgb(27 29 34 / 10%)',
  series: ['#3B4FE4', '#E8622C', '#1B7F4B', '#8A4FBF', '#A15C00', '#2A8FA8'],
};

export const dark: Palette = {
  canvas: '#131416',
  surface: '#1A1B1E',
  raised: '#212327',
  hover: '#26292E',
  text: '#ECEDEF',
  muted: '#9BA1AC',
  hairline: '#2C2F35',
  control: '#737985',
  primary: '#8C9AFF',
  primaryHover: '#A3AEFF',
  onPrimary: '#10122B',
  accent: '#FF8A57',
  success: '#5BC98E',
  warning: '#E8A33D',
  danger: '#FF7B88',
  dangerHover: '#FF97A1',
  primaryTint: '#232748',
  primaryTintHover: '#2B305A',
  primaryInk: '#A9B3FF',
  successTint: '#17301F',
  successInk: '#6FD69D',
  warningTint: '#35270F',
  warningInk: '#EFB45C',
  dangerTint: '#3C1C21',
  dangerInk: '#FF97A1',
  shadow: '0 1px 2px rgb(0 0 0 / 40%), 0 8px 24px rgb(0 0 0 / 50%)',
  series: ['#8C9AFF', '#FF8A57', '#5BC98E', '#BF92EA', '#E8A33D', '#62BDD4'],
};

type ToneName = {
  [Name in keyof Palette]: Palette[Name] extends string ? Name : never;
}[keyof Palette];

/**
 * Every text color and the backgrounds it may be used on; all pairs have a contrast of at least
 * 4.5:1.
 */
export const TEXT_PAIRS: readonly (readonly [text: ToneName, grounds: readonly ToneName[]])[] = [
  ['text', ['canvas', 'surface', 'raised', 'hover', 'primaryTint', 'primaryTintHover']],
  ['text', ['successTint', 'warningTint', 'dangerTint', 'hairline']],
  ['muted', ['canvas', 'surface', 'raised', 'hover']],
  ['primary', ['canvas', 'surface', 'raised']],
  ['onPrimary', ['primary', 'primaryHover', 'success', 'warning', 'danger', 'dangerHover']],
  ['success', ['canvas', 'surface', 'raised']],
  ['warning', ['canvas', 'surface', 'raised']],
  ['danger', ['canvas', 'surface', 'raised']],
  ['primaryInk', ['primaryTint', 'primaryTintHover', 'hover']],
  ['successInk', ['successTint']],
  ['warningInk', ['warningTint']],
  ['dangerInk', ['dangerTint', 'hover']],
];
