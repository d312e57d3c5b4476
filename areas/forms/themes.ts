// Color themes for a whole form: text on each background has a contrast of at least 4.5 to 1.
import { STYLES, type Styles } from '#embed/forms/shared/document.ts';
import { chooseReadableColor } from '#embed/forms/shared/readable-color.ts';

const COLORS = [
  'background',
  'colour',
  'heading',
  'borderColour',
  'fieldBackground',
  'fieldBorder',
  'fieldColour',
  'button',
  'buttonColour',
] as const satisfies readonly (keyof Styles)[];

export type FormTheme = Pick<Styles, (typeof COLORS)[number]>;

const createTheme = (...of: string[]): FormTheme =>
  Object.fromEntries(COLORS.map((key, at) => [key, of[at] ?? STYLES[key]])) as FormTheme;

export const THEMES = {
  light: createTheme(),
  dark: createTheme(
    ...['#1b1d22', '#d9dbe2', '#ffffff', '#34373f'],
    ...['#26282f', '#7d818d', '#ffffff', '#ffd166', '#1b1d22'],
  ),
  sky: createTheme(
    ...['#eef4ff', '#3f4a68', '#16254d', '#d3e0fb'],
    ...['#ffffff', '#7f8fb5', '#16254d', '#2451c7', '#ffffff'],
  ),
  forest: createTheme(
    ...['#eef6f1', '#3d5a50', '#173f34', '#cfe3d8'],
    ...['#ffffff', '#7c9a8f', '#173f34', '#1f6f5c', '#ffffff'],
  ),
  warm: createTheme(
    ...['#fff7ec', '#6b3f26', '#7c2d12', '#f2c078'],
    ...['#ffffff', '#b08968', '#4a2412', '#c2410c', '#ffffff'],
  ),
  rose: createTheme(
    ...['#fff1f5', '#6a3a4c', '#6d1435', '#f3d1de'],
    ...['#ffffff', '#b78599', '#4a1027', '#c2255c', '#ffffff'],
  ),
  plum: createTheme(
    ...['#f6f3ff', '#4c4763', '#2e2357', '#ddd5f7'],
    ...['#ffffff', '#9187b3', '#2e2357', '#5a3fc0', '#ffffff'],
  ),
  sand: createTheme(
    ...['#f5f0e8', '#4b4437', '#2b2620', '#e0d7c7'],
    ...['#ffffff', '#978c79', '#2b2620', '#2b2620', '#ffffff'],
  ),
} as const satisfies Record<string, FormTheme>;
export type FormThemeName = keyof typeof THEMES;

type BrandColors = {
  background: string | null;
  heading: string | null;
  text: string | null;
  button: string | null;
};

/**
 * Creates a theme in the account's brand colors. Returns undefined if the brand has no color for
 * headings, text or buttons.
 */
export function createBrandTheme({
  background,
  heading,
  text,
  button,
}: BrandColors): FormTheme | undefined {
  if (!heading && !text && !button) return undefined;
  const ground = background ?? STYLES.background;
  const buttonColor = button ?? heading ?? STYLES.button;
  return {
    ...THEMES.light,
    background: ground,
    colour: chooseReadableColor(ground, [text ?? STYLES.colour, '#1b1d22', '#ffffff']),
    heading: chooseReadableColor(ground, [heading ?? STYLES.heading, '#1b1d22', '#ffffff']),
    button: buttonColor,
    buttonColour: chooseReadableColor(buttonColor, ['#ffffff', '#1b1d22']),
  };
}
