// The brand of the account on a form's pages and in its emails, and the link back to its site.
import { readAccount } from '#areas/accounts/server/index.ts';
import { readBrand } from '#areas/content/server/index.ts';
import { chooseReadableColor } from '#embed/forms/shared/readable-color.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { PageBrand } from '#platform/server/http/public-page.ts';
import { getFormsSettings } from './settings.ts';

export type FormBrand = PageBrand & {
  company: string;
  /** Empty if the account has no valid web address. */
  website: string;
};

const WEB_ADDRESS = /^https?:\/\/[^\s"'<>]+$/i;

export async function readFormBrand(db: Reader, accountId: number): Promise<FormBrand> {
  const account = await readAccount(db, accountId);
  const {
    logo,
    website,
    button_background: background,
    button_color,
  } = await readBrand(db, accountId);
  const site = [website, account.website ?? ''].find((url) => WEB_ADDRESS.test(url)) ?? '';
  const src = logo && URL.parse(logo.src, getFormsSettings().publicUrl)?.href;
  return {
    company: account.title || (URL.parse(site)?.hostname ?? '').replace(/^www\./, ''),
    website: site.replaceAll('{', '%7B'),
    logo:
      src && WEB_ADDRESS.test(src)
        ? { src: src.replaceAll('{', '%7B'), alt: logo.alt || account.title }
        : null,
    button: background
      ? {
          background,
          color: button_color ?? chooseReadableColor(background, ['#ffffff', '#1b1d22']),
        }
      : null,
  };
}
