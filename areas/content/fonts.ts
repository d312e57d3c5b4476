// Fonts for emails. System fonts need no loading; web fonts are loaded by email clients that
// support them (Apple Mail, Thunderbird …), others use the next font of the stack.

export type Font = {
  name: string;
  kind: 'system' | 'web';
  /** CSS font stack with fallbacks. */
  stack: string;
  weights: readonly number[];
};

const SANS = 'Arial,Helvetica,sans-serif';
const SERIF = 'Georgia,Times,serif';
const MONO = "'Courier New',Courier,monospace";
const HANDWRITING = "'Brush Script MT','Comic Sans MS',cursive";

function system(name: string, stack: string): Font {
  return { name, kind: 'system', stack, weights: [400, 700] };
}

function web(fallbacks: string, entries: string): Font[] {
  return entries.split(',').map((entry) => {
    const [name = '', weights = ''] = entry.trim().split(':');
    return {
      name,
      kind: 'web',
      stack: `'${name}',${fallbacks}`,
      weights: weights.split(' ').map((weight) => Number(weight) * 100),
    };
  });
}

const SYSTEM_FONTS: readonly Font[] = [
  system('Arial', SANS),
  system('Helvetica', 'Helvetica,Arial,sans-serif'),
  system('Verdana', 'Verdana,Geneva,sans-serif'),
  system('Tahoma', 'Tahoma,Verdana,Segoe,sans-serif'),
  system('Trebuchet MS', "'Trebuchet MS',Helvetica,sans-serif"),
  system('Arial Black', "'Arial Black',Gadget,sans-serif"),
  system('Impact', 'Impact,Charcoal,sans-serif'),
  system('Lucida Sans', "'Lucida Sans Unicode','Lucida Grande',sans-serif"),
  system('Georgia', SERIF),
  system('Times New Roman', "'Times New Roman',Times,serif"),
  system('Palatino', "Palatino,'Palatino Linotype','Book Antiqua',serif"),
  system('Courier New', MONO),
  system('Comic Sans MS', "'Comic Sans MS',cursive"),
];

const WEB_FONTS: readonly Font[] = [
  ...web(
    SANS,
    'Inter:4 5 6 7 8,Roboto:3 4 5 7 9,Open Sans:4 6 7 8,Lato:3 4 7 9,Montserrat:4 5 6 7 8,Poppins:4 5 6 7 8,' +
      'Nunito:4 6 7 8,Nunito Sans:4 6 7 8,Raleway:4 5 6 7 8,Work Sans:4 5 6 7,Rubik:4 5 6 7,Source Sans 3:4 6 7,' +
      'DM Sans:4 5 7,Mulish:4 6 7 8,Karla:4 5 7,Manrope:4 5 6 7 8,Figtree:4 5 6 7,Outfit:4 5 6 7,' +
      'Plus Jakarta Sans:4 5 6 7 8,Urbanist:4 5 6 7,Lexend:4 5 6 7,Sora:4 6 7,Space Grotesk:4 5 7,' +
      'Quicksand:4 5 6 7,Josefin Sans:4 6 7,Barlow:4 5 6 7,Cabin:4 5 6 7,Oxygen:4 7,Ubuntu:4 5 7,' +
      'Fira Sans:4 5 6 7,PT Sans:4 7,Noto Sans:4 5 6 7,IBM Plex Sans:4 5 6 7,Archivo:4 5 6 7,Oswald:4 5 6 7,' +
      'Bebas Neue:4,Anton:4,Titillium Web:4 6 7,Exo 2:4 5 6 7,Hind:4 5 6 7,Heebo:4 5 7,Assistant:4 6 7,' +
      'Red Hat Display:4 5 7,Be Vietnam Pro:4 5 6 7,Public Sans:4 5 6 7,Dosis:4 5 6 7,Varela Round:4,Comfortaa:4 6 7',
  ),
  ...web(
    'Tahoma,Arial,sans-serif',
    'Vazirmatn:4 5 6 7 8,Noto Sans Arabic:4 5 6 7,Noto Kufi Arabic:4 6 7,Cairo:4 6 7,Tajawal:4 5 7,Almarai:4 7 8,Lalezar:4',
  ),
  ...web(
    SERIF,
    'Playfair Display:4 5 6 7 9,Merriweather:4 7 9,Lora:4 5 6 7,PT Serif:4 7,Libre Baskerville:4 7,' +
      'Crimson Pro:4 5 6 7,EB Garamond:4 5 6 7,Cormorant Garamond:4 5 6 7,Bitter:4 5 6 7,Source Serif 4:4 6 7,' +
      'Noto Serif:4 6 7,DM Serif Display:4,Fraunces:4 6 7,Spectral:4 5 6 7,Zilla Slab:4 5 6 7,Roboto Slab:4 5 7',
  ),
  ...web(MONO, 'JetBrains Mono:4 5 7,IBM Plex Mono:4 5 7,Space Mono:4 7'),
  ...web(HANDWRITING, 'Caveat:4 6 7,Dancing Script:4 6 7,Pacifico:4'),
];

export const FONTS: readonly Font[] = [...SYSTEM_FONTS, ...WEB_FONTS];

export function findFont(name: string): Font {
  return FONTS.find((font) => font.name === name) ?? (SYSTEM_FONTS[0] as Font);
}

/** Returns the font's name in URLs and file names. */
export const toFontSlug = (name: string): string => name.toLowerCase().replaceAll(' ', '-');

/** Finds a web font by its stack. */
export const findWebFont = (stack: string): Font | undefined =>
  FONTS.find(({ kind, name }) => kind === 'web' && stack.startsWith(`'${name}'`));

/**
 * Returns the URL of the style sheet with these weights of a web font, served by this installation
 * so that email clients contact no third party.
 */
export function buildWebFontUrl(publicUrl: string, font: Font, weights: readonly number[]): string {
  const sortedWeights = [...weights].sort((a, b) => a - b).join(',');
  return `${publicUrl}/i/fonts/${toFontSlug(font.name)}.css?w=${sortedWeights}`;
}
