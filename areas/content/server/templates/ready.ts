// Creates complete emails: an image, a heading, a few paragraphs and a button in the account's
// brand. Callers supply strings in the account's language.
import { isLanguage } from '#platform/languages.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { readAccount } from '#areas/accounts/server/index.ts';
import type { EmailDocument } from '../../document.ts';
import { CART_LINK, type OwnPick } from '../../shop-names.ts';
import { applyBrand, readBrand } from '../brand/brand.ts';
import {
  button,
  ending,
  h1,
  logo,
  pickedProducts,
  SHOP_PALETTE,
  templateSettings,
  composeEmail,
  pad,
  section,
  text,
  wide,
} from './builders.ts';
import { templateTexts } from './template-texts.ts';

/** Background, accent and heading color of each image, and the key of its alternative text. */
const SCENES = {
  ...shopScenes(),
  doors: { colors: ['#d8e4dc', '#35624a', '#20392c'], alt: 'welcome' },
  parcel: { colors: ['#e3ecf7', '#3b4fe4', '#1f2a5c'], alt: 'shipped' },
  sea: { colors: ['#d7ecf3', '#1f6f88', '#173f4d'], alt: 'miss' },
  talk: { colors: ['#fdf0dc', '#b8471a', '#3d2a1c'], alt: 'review' },
  cake: { colors: ['#fde4e1', '#7b2d5b', '#7b2d5b'], alt: 'birthday' },
} as const;
export type ReadyScene = keyof typeof SCENES;

/** The images of emails about a store share one palette. */
function shopScenes() {
  const colors = SHOP_PALETTE;
  return {
    cart: { colors, alt: 'cart' },
    shelf: { colors, alt: 'browse' },
    gift: { colors, alt: 'order' },
    stars: { colors, alt: 'review' },
  } as const;
}

type ReadyTexts = {
  scene: ReadyScene;
  heading: string;
  /** One paragraph each. */
  body: string[];
  button: string;
  /** Personal products below the paragraphs; recipients without any see only the paragraphs. */
  pick?: OwnPick;
};

/**
 * Creates the document. Its button opens the recipient's cart if the email shows the cart,
 * otherwise the account's website. If no website is known, the button has no target and the checks
 * report it.
 */
export async function createReadyDocument(
  db: Reader,
  accountId: number,
  texts: ReadyTexts,
): Promise<EmailDocument> {
  const { language, website } = await readAccount(db, accountId);
  const brand = await readBrand(db, accountId);
  const frameTexts = templateTexts(isLanguage(language) ? language : 'eng');
  const { colors: palette, alt } = SCENES[texts.scene];
  const [background, accent, heading] = palette;
  const unlinkedButton = button(texts.button);
  const href = texts.pick === 'cart' ? CART_LINK : brand.website || website || '';
  const linkedButton = { ...unlinkedButton, href } as typeof unlinkedButton;
  const top = [h1(texts.heading), text(texts.body)];
  const document = composeEmail(
    templateSettings({ background, accent, heading }, { sizes: [34, 24, 19] }),
    [
      section([logo()], { background, padding: pad(0) }),
      section([wide(texts.scene, frameTexts[alt].alt)], { padding: pad(0) }),
      ...(texts.pick
        ? [
            section(top, { padding: pad(20, 0, 4) }),
            ...pickedProducts(texts.pick),
            section([linkedButton], { padding: pad(4, 0, 28) }),
          ]
        : [section([...top, linkedButton], { padding: pad(20, 0, 28) })]),
      ending(frameTexts.why, frameTexts, { background }),
    ],
  );
  return applyBrand(document, brand);
}
