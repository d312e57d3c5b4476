// Names of social links: networks have the same name in every language, other links are translated.
import type { SocialNetwork } from './document.ts';

const NETWORK_NAMES = {
  facebook: 'Facebook',
  instagram: 'Instagram',
  x: 'X',
  youtube: 'YouTube',
  tiktok: 'TikTok',
  linkedin: 'LinkedIn',
  pinterest: 'Pinterest',
  threads: 'Threads',
  bluesky: 'Bluesky',
  mastodon: 'Mastodon',
  whatsapp: 'WhatsApp',
  telegram: 'Telegram',
  snapchat: 'Snapchat',
  spotify: 'Spotify',
  github: 'GitHub',
} satisfies Partial<Record<SocialNetwork, string>>;

type OtherLink = Exclude<SocialNetwork, keyof typeof NETWORK_NAMES>;
export type NetworkNames = Readonly<Record<SocialNetwork, string>>;

/** @param translate returns the name of a link that leads to no network */
export const nameNetworks = (translate: (link: OtherLink) => string): NetworkNames => ({
  ...NETWORK_NAMES,
  website: translate('website'),
  email: translate('email'),
  phone: translate('phone'),
});
