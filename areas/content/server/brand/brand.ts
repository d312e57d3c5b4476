// Reads and updates the brand of an account, and applies it to templates.
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { Brand } from '../../contract.ts';
import type { Color, EmailDocument, EmailSettings, Section } from '../../document.ts';
import { ensureContrast } from '../../colors.ts';
import * as store from './brand.sql.ts';

const NOTHING: Brand = {
  colors: [],
  background: null,
  content_background: null,
  dark_background: null,
  dark_content_background: null,
  text_color: null,
  heading_color: null,
  link_color: null,
  button_background: null,
  button_color: null,
  font: null,
  heading_font: null,
  logo: null,
  website: '',
  social: [],
};

export async function readBrand(db: Reader, accountId: number): Promise<Brand> {
  return { ...NOTHING, ...((await store.findBrand(db, accountId)) as Partial<Brand> | undefined) };
}

export async function updateBrand(
  tx: Tx,
  accountId: number,
  changes: { [K in keyof Brand]?: Brand[K] | undefined },
): Promise<Brand> {
  await store.mergeBrand(tx, accountId, changes, clock.now());
  return readBrand(tx, accountId);
}

/** Applies the brand's colors, fonts and social networks to a template. */
export function applyBrand(document: EmailDocument, brand: Brand): EmailDocument {
  const settings = applyBrandToSettings(document.settings, brand);
  const sections = recolorSections(document.sections, document.settings, settings);
  const copy = structuredClone({ ...document, settings, sections });
  for (const section of copy.sections) {
    for (const column of section.columns) {
      for (const block of column.blocks) {
        if (block.type === 'social' && brand.social.length > 0) block.links = brand.social;
      }
    }
  }
  return copy;
}

/**
 * Replaces the backgrounds and link colors in sections, columns and blocks that are equal to those
 * of the template's settings.
 */
function recolorSections(sections: Section[], from: EmailSettings, to: EmailSettings): Section[] {
  const grounds = new Map([
    [from.background, to.background],
    [from.content_background, to.content_background],
  ]);
  const accent = ensureContrast(to.link.color, to.content_background);
  return JSON.parse(JSON.stringify(sections), (key, value: unknown) => {
    if (key === 'background') return grounds.get(value as Color) ?? value;
    return key === 'color' && value === from.link.color ? accent : value;
  }) as Section[];
}

function applyBrandToSettings(settings: EmailSettings, brand: Brand): EmailSettings {
  const background = brand.button_background ?? settings.button.background;
  const { dark } = settings;
  return {
    ...settings,
    background: brand.background ?? settings.background,
    content_background: brand.content_background ?? settings.content_background,
    text: {
      ...settings.text,
      font: brand.font ?? settings.text.font,
      color: brand.text_color ?? settings.text.color,
    },
    heading: {
      ...settings.heading,
      font: brand.heading_font ?? brand.font ?? settings.heading.font,
      color: brand.heading_color ?? settings.heading.color,
    },
    link: { ...settings.link, color: brand.link_color ?? settings.link.color },
    button: {
      ...settings.button,
      font: brand.font ?? settings.button.font,
      background,
      color: brand.button_color ?? ensureContrast(settings.button.color, background),
    },
    dark: dark && {
      ...dark,
      background: brand.dark_background ?? dark.background,
      content_background: brand.dark_content_background ?? dark.content_background,
    },
  };
}
