// Names of the social networks, which are the same in every language.
import type { SocialNetwork } from './document.ts';

export const NETWORK_NAMES: Record<SocialNetwork, string> = {
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
  website: 'Website',
  email: 'Email',
  phone: 'Phone',
};
