// Generates a first email from an account's website. Details found on the site that the brand lacks
// are saved to the brand, for later templates.
import { readAccount } from '#areas/accounts/server/index.ts';
import { isLanguage } from '#platform/languages.ts';
import { cutText } from '#platform/server/clean-text.ts';
import type { Db, Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import { computeLuminance, mixColors, ensureContrast } from '../../colors.ts';
import type { Brand, Image } from '../../contract.ts';
import type { Color, EmailDocument } from '../../document.ts';
import { createBlock } from '../../document-factory.ts';
import { readBrand, updateBrand } from '../brand/brand.ts';
import type { SendingOptions } from '../composing/email.ts';
import { createMessageSource } from '../composing/source.ts';
import { toDraftContent } from '../composing/render-detached.ts';
import { uploadImage } from '../images/images.ts';
import type { MessageSource } from '../personalization/message-source.ts';
import { encodeBraces } from '../source-parts.ts';
import {
  button,
  h1,
  logo,
  templateSettings,
  composeEmail,
  pad,
  section,
  text,
  wide,
} from '../templates/builders.ts';
import { escapeHtml } from '../html/character-references.ts';
import { profileWebsite, type WebsiteProfile } from './website-brand.ts';

/** Text of the account's first email; `name` is the name of the business. */
export type FirstEmailTexts = (name: string) => {
  subject: string;
  heading: string;
  body: string[];
  button: string;
  ending: string;
};

type WebsiteInfo = {
  name: string;
  url: string;
  color: Color | undefined;
  logo: Image | undefined;
  isLogoLight: boolean;
  image: Image | undefined;
};

const ACCENT: Color = '#3b4fe4';
const LOGO_WIDTH = 160;
/** Maximum length of a brand's website. */
const MAX_WEBSITE_LENGTH = 500;
const MAX_HOST_LENGTH = 200;

/**
 * Analyzes the website and stores its images in the library. Opens its own transactions because it
 * makes requests. Returns undefined if no page responds; images that the library refuses are
 * omitted.
 */
export async function learnWebsite(
  db: Db,
  caller: Actor,
  website: string,
): Promise<WebsiteInfo | undefined> {
  const profile: WebsiteProfile | undefined = await profileWebsite(website);
  if (!profile) return undefined;
  const host = cutText(new URL(profile.url).hostname, MAX_HOST_LENGTH);
  const storeImage = (bytes: Buffer | undefined, name: string) =>
    bytes && uploadImage(db, caller, async () => ({ name, bytes })).catch(ignoreRefusal);
  const { name, color } = profile;
  const url = shortenAddress(profile.url);
  return {
    ...{ name, color, url },
    logo: await storeImage(profile.logo?.bytes, `${host} logo`),
    isLogoLight: profile.logo?.isLight ?? false,
    image: await storeImage(profile.image, host),
  };
}

function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof AppError)) throw error;
}

/**
 * Returns the URL with encoded braces, because they would start merge tags. If the URL is too long
 * for a brand, returns only its origin.
 */
function shortenAddress(url: string): string {
  const address = encodeBraces(url);
  return address.length <= MAX_WEBSITE_LENGTH ? address : new URL(url).origin;
}

/**
 * Returns the email, which is sent from the installation's address `from`. Saves missing brand
 * details.
 */
export async function createFirstEmail(
  tx: Tx,
  accountId: number,
  website: WebsiteInfo | undefined,
  { texts, from, options }: { texts: FirstEmailTexts; from: string; options: SendingOptions },
): Promise<Omit<MessageSource, 'message_id'>> {
  if (website) await fillBrand(tx, accountId, website);
  const account = await readAccount(tx, accountId);
  const name = website?.name || account.title || 'Sendloom';
  const lines = texts(toPlainName(name));
  const rich = texts(escapeHtml(toPlainName(name)));
  // `subject` and `button` are single-line text; the rest is HTML.
  const emailTexts = { ...rich, subject: lines.subject, button: lines.button };
  const document = createFirstDocument(
    emailTexts,
    website,
    await readBrand(tx, accountId),
    account.website,
  );
  const envelope = {
    ...{ kind: 'transactional' as const, subject: emailTexts.subject, preheader: '', reply_to: '' },
    from: { name, email: from },
    language: isLanguage(account.language) ? account.language : 'eng',
  };
  const email = { accountId, content: undefined, envelope };
  const source = await createMessageSource(tx, email, options, toDraftContent(document));
  return { ...source, is_automatic: true, is_tracked: false, company: account.title || name };
}

async function fillBrand(tx: Tx, accountId: number, website: WebsiteInfo): Promise<void> {
  const brand = await readBrand(tx, accountId);
  const changes: Partial<Brand> = {};
  if (!brand.logo && website.logo) changes.logo = toDocumentImage(website.logo, website.name);
  if (!brand.website) changes.website = website.url;
  if (!brand.button_background && !brand.link_color && website.color) {
    changes.colors = brand.colors.length > 0 ? brand.colors : [website.color];
    changes.button_background = website.color;
    changes.link_color = ensureContrast(website.color, '#ffffff');
  }
  if (Object.keys(changes).length > 0) await updateBrand(tx, accountId, changes);
}

function toDocumentImage(image: Image, alt: string) {
  // The stored logo may be wider than LOGO_WIDTH, for sharp screens. A narrower logo is not
  // enlarged.
  const width = Math.min(LOGO_WIDTH, image.width);
  const height = Math.round((image.height / image.width) * width);
  return { src: image.src, alt: cutText(toPlainName(alt), 255), width, height };
}

function createFirstDocument(
  emailTexts: ReturnType<FirstEmailTexts>,
  profile: WebsiteInfo | undefined,
  brand: Brand,
  website: string | null,
): EmailDocument {
  const accent = (profile?.color ?? brand.button_background ?? ACCENT) as Color;
  const background = mixColors('#ffffff', accent, 0.08);
  const onAccent = ensureContrast('#ffffff', accent);
  const href = encodeBraces(profile?.url || brand.website || website || '');
  const isDark = profile?.isLogoLight === true && computeLuminance(accent) < 0.5;
  const colors = { background, accent, onAccent, heading: '#1b1d22' as Color };
  const header = {
    ...logo(),
    ...(profile?.logo && { image: toDocumentImage(profile.logo, profile.name), width: LOGO_WIDTH }),
  } as ReturnType<typeof logo>;
  return composeEmail(templateSettings(colors, { sizes: [34, 24, 19] }), [
    section([header], {
      background: isDark ? accent : '#ffffff',
      padding: pad(8, 0),
    }),
    profile?.image
      ? section([createPhoto(profile.image)], { padding: pad(0) })
      : section([wide('doors', '')], { padding: pad(0) }),
    section(
      [
        h1(emailTexts.heading),
        text(emailTexts.body),
        ...(href ? [{ ...button(emailTexts.button), href } as ReturnType<typeof button>] : []),
      ],
      { padding: pad(20, 0, 28) },
    ),
    section([text(emailTexts.ending, { size: 12, align: 'center' })], { background }),
  ]);
}

function createPhoto(image: Image) {
  const websiteImage = { src: image.src, alt: '', width: image.width, height: image.height };
  return createBlock('image', { image: websiteImage, style: { padding: pad(0) } });
}

/**
 * Removes the characters of markup and merge tags from a text of a third-party page; returns the
 * name of the product if nothing is left.
 */
function toPlainName(name: string): string {
  return (
    name
      .replace(/[{}%<>]/g, ' ')
      .replace(/\s+/g, ' ')
      .trim() || 'Sendloom'
  );
}
