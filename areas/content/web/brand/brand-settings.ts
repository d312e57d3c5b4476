// Conversion between a brand and the settings of an email.
import type { Brand } from '../../contract.ts';
import type { Color, EmailSettings } from '../../document.ts';
import { MAX_BRAND_COLORS } from '../../shared.ts';

export type BrandWithColors = Partial<Brand> & Pick<Brand, 'colors'>;

/** Returns the brand from the settings of an email. */
export function toBrand(settings: EmailSettings, colors: readonly Color[]): BrandWithColors {
  const { button, heading, text, link, dark } = settings;
  const usedColors = [button.background, heading.color, link.color, settings.background];
  return {
    colors: [...new Set([...colors, ...usedColors])].slice(0, MAX_BRAND_COLORS),
    background: settings.background,
    content_background: settings.content_background,
    dark_background: dark?.background ?? null,
    dark_content_background: dark?.content_background ?? null,
    text_color: text.color,
    heading_color: heading.color,
    link_color: link.color,
    button_background: button.background,
    button_color: button.color,
    font: text.font,
    heading_font: heading.font,
  };
}

/** Returns the settings of an email, with each value that the brand defines replaced. */
export function toEmailSettings(brand: Brand, settings: EmailSettings): EmailSettings {
  const { text, heading, link, button, dark } = settings;
  return {
    ...settings,
    background: brand.background ?? settings.background,
    content_background: brand.content_background ?? settings.content_background,
    text: { ...text, font: brand.font ?? text.font, color: brand.text_color ?? text.color },
    heading: {
      ...heading,
      font: brand.heading_font ?? brand.font ?? heading.font,
      color: brand.heading_color ?? heading.color,
    },
    link: { ...link, color: brand.link_color ?? link.color },
    button: {
      ...button,
      font: brand.font ?? button.font,
      background: brand.button_background ?? button.background,
      color: brand.button_color ?? button.color,
    },
    dark: dark && {
      ...dark,
      background: brand.dark_background ?? dark.background,
      content_background: brand.dark_content_background ?? dark.content_background,
    },
  };
}
