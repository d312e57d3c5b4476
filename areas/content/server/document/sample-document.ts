// Documents for tests and benchmarks of the renderer: one block of each type, and one large email.
import type { Block, BlockOf, BlockType, EmailDocument } from '../../document.ts';
import { createBlock, createEmailDocument, createSection } from '../../document-factory.ts';
import { nameNetworks } from '../../network-names.ts';
import { createArtImage } from '../art/art.ts';
import { encodeCountdown } from './countdown.ts';
import type { DocumentContext } from './frame.ts';

const LINK = 'https://tea.example/new?a=1&b=2';
const image = createArtImage('mug', 'A mug of "tea" & more');

export const SAMPLE_BLOCKS: Record<BlockType, Block> = {
  heading: createBlock('heading', { level: 1, html: "Hello {{ firstname | fallback: 'friend' }}" }),
  text: createBlock('text', {
    html: `<p>One <strong>bold</strong> <a href="${LINK}">link</a></p><ul><li><p>first</p></li><li><p>second</p></li></ul><p style="text-align:end">At the <span style="color:#a00000">end</span></p>`,
  }),
  image: createBlock('image', { image, href: LINK, width: 80 }),
  button: createBlock('button', { label: 'Buy & go', href: LINK }),
  divider: createBlock('divider'),
  spacer: createBlock('spacer', { height: 40, mobile_height: 16 }),
  social: createBlock('social', {
    links: [
      { network: 'instagram', href: 'https://instagram.com/tea' },
      { network: 'email', href: 'mailto:hi@tea.example' },
    ],
  }),
  menu: createBlock('menu', {
    items: [
      { label: 'New', href: LINK },
      { label: 'About', href: 'https://tea.example/about' },
    ],
    separator: '|',
  }),
  video: createBlock('video', { href: 'https://video.example/1' }),
  product: createBlock('product', {
    image,
    name: 'Mug',
    price: '€12',
    old_price: '€20',
    html: '<p>Holds tea.</p>',
    href: LINK,
    label: 'Buy',
  }),
  coupon: createBlock('coupon', {
    title: '15 % off',
    code: 'TEA15',
    html: '<p>Until Sunday</p>',
    href: LINK,
    label: 'Use it',
  }),
  event: createBlock('event', {
    title: 'Tasting & talk',
    starts: '2027-03-05T18:00',
    ends: '2027-03-05T20:00',
    zone: 'Europe/Oslo',
    place: 'Storgata 1, Oslo',
  }),
  countdown: createBlock('countdown', {
    ends: '2027-03-05T18:00',
    zone: 'Europe/Oslo',
    ended: 'Over & out',
    href: LINK,
  }),
  html: createBlock('html', { html: '<table><tr><td bgcolor="#eeeeee">Own {{email}}' }),
  table: createBlock('table', {
    rows: [
      ['Item', 'Price'],
      ['<strong>Mug</strong>', '€12'],
    ],
    is_striped: true,
  }),
  header: createBlock('header', { image: createArtImage('plant', ''), href: LINK, width: 120 }),
  footer: createBlock('footer', { html: '<p>Because you asked.</p>', browser_label: 'View' }),
};

const countdown = encodeCountdown(SAMPLE_BLOCKS.countdown as BlockOf<'countdown'>, 'eng');

export const SAMPLE_CONTEXT: DocumentContext = {
  language: 'eng',
  public_url: 'https://mail.example',
  company: 'Nordic Tea',
  logo: null,
  countdowns: countdown === undefined ? {} : { [countdown]: '/i/c/sample.png?t=sample' },
  website: 'https://tea.example/',
  texts: {
    unsubscribe: 'Unsubscribe',
    play: 'Play video',
    addToCalendar: 'Add to your calendar:',
    calendarFile: 'The event is attached as a calendar file.',
    countdownEnds: 'Ends:',
    networks: nameNetworks(
      (link) => ({ website: 'Website', email: 'Email', phone: 'Phone' })[link],
    ),
  },
};

/** Creates a document with this number of blocks in sections of two columns. */
export function createLargeDocument(blocks: number): EmailDocument {
  const samples = Object.values(SAMPLE_BLOCKS).filter(
    // A document contains only one footer. Events are omitted, because each adds a file.
    ({ type }) => type !== 'footer' && type !== 'event',
  );
  const pick = (i: number) => {
    const { id: _, type, ...rest } = structuredClone(samples[i % samples.length] as Block);
    return createBlock(type, rest);
  };
  const sections = Array.from({ length: Math.ceil(blocks / 4) }, (_, i) =>
    createSection([
      [pick(i * 4), pick(i * 4 + 1)],
      [pick(i * 4 + 2), pick(i * 4 + 3)],
    ]),
  );
  return createEmailDocument([...sections, createSection([[createBlock('footer')]])]);
}
