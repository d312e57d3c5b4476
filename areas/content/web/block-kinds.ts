// Block types in the palette, the insert menu and the inspector.
import {
  IconCalendarEvent,
  IconClick,
  IconCode,
  IconHeading,
  IconHourglass,
  IconLayoutBottombar,
  IconLayoutNavbar,
  IconLetterCase,
  IconMenu2,
  IconPhoto,
  IconSeparator,
  IconShare3,
  IconShoppingBag,
  IconSpacingVertical,
  IconTable,
  IconTicket,
  IconVideo,
} from '@tabler/icons-react';
import type { Block, BlockType } from '../document.ts';
import { createBlock } from '../document-factory.ts';
import { accountZone } from '#platform/web/texts/formats.ts';
import type { useTexts } from '#platform/web/texts/texts.ts';
import { removeElements } from '#platform/spans.ts';

type Translate = ReturnType<typeof useTexts>;

export const KIND_ICONS = {
  heading: IconHeading,
  text: IconLetterCase,
  image: IconPhoto,
  button: IconClick,
  divider: IconSeparator,
  spacer: IconSpacingVertical,
  social: IconShare3,
  menu: IconMenu2,
  video: IconVideo,
  product: IconShoppingBag,
  coupon: IconTicket,
  event: IconCalendarEvent,
  countdown: IconHourglass,
  table: IconTable,
  header: IconLayoutNavbar,
  footer: IconLayoutBottombar,
  html: IconCode,
} satisfies Record<BlockType, unknown>;

/** Block types, most used first. */
export const KINDS = Object.keys(KIND_ICONS) as BlockType[];

/** Returns a new block with sample text. */
export function createFreshBlock(type: BlockType, t: Translate): Block {
  switch (type) {
    case 'heading':
      return createBlock(type, { html: t('content.words:fresh.heading') });
    case 'text':
      return createBlock(type, { html: `<p>${t('content.words:fresh.text')}</p>` });
    case 'button':
      return createBlock(type, { label: t('fresh.button') });
    case 'menu':
      return createBlock(type, {
        items: [1, 2, 3].map((count) => ({ label: t('fresh.menu', { count }), href: '' })),
      });
    case 'product':
      return createBlock(type, { name: t('fresh.product'), price: '', label: t('fresh.buy') });
    case 'coupon':
      return createBlock(type, { title: t('fresh.coupon'), code: 'WELCOME10', label: '' });
    case 'event':
      // Defaults to the author's time zone.
      return createBlock(type, { zone: Intl.DateTimeFormat().resolvedOptions().timeZone });
    case 'countdown':
      return createBlock(type, { zone: accountZone.get() || 'UTC', ended: t('fresh.ended') });
    case 'footer':
      return createBlock(type, {
        html: `<p>${t('fresh.footer')}</p>`,
        preferences_label: t('fresh.preferences'),
      });
    default:
      return createBlock(type);
  }
}

/** Returns a block's label for screen readers: its type and the start of its text. */
export function describeBlock(block: Block, t: Translate): string {
  const kindLabel = t(`kinds.${block.type}`);
  const plainText = removeElements(readHtml(block), ' ').replace(/\s+/g, ' ').trim();
  return plainText ? `${kindLabel}: ${plainText.slice(0, 60)}` : kindLabel;
}

function readHtml(block: Block): string {
  switch (block.type) {
    case 'heading':
    case 'text':
    case 'footer':
      return block.html;
    case 'button':
      return block.label;
    case 'image':
      return block.image.alt;
    case 'product':
      return block.name;
    case 'coupon':
    case 'event':
      return block.title;
    default:
      return '';
  }
}
