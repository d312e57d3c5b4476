// The web app manifest that phones and desktops install the product from: name, icons, colors and
// shortcuts.
import type { FastifyPluginAsync } from 'fastify';
import {
  DIRECTION,
  isLanguage,
  parseAcceptLanguage,
  type Language,
  LOCALE,
} from '#platform/languages.ts';
import { serverTexts } from '#platform/server/texts.ts';

const CANVAS = '#F7F7F5';

const icon = (name: string, size: number, purpose: 'any' | 'maskable' | 'monochrome') => ({
  src: `/icons/${name}-${size}.png`,
  sizes: `${size}x${size}`,
  type: 'image/png',
  purpose,
});

const SHORTCUTS = {
  create: '/campaigns/create',
  campaigns: '/campaigns',
  sms: '/sms',
  subscribers: '/subscribers',
} as const;

function manifestIn(language: Language) {
  const t = serverTexts('platform', language);
  return {
    id: '/',
    name: 'Sendloom',
    short_name: 'Sendloom',
    description: t('app.description'),
    lang: LOCALE[language],
    dir: DIRECTION[language],
    start_url: '/',
    scope: '/',
    display: 'standalone',
    theme_color: CANVAS,
    background_color: CANVAS,
    categories: ['business', 'productivity'],
    icons: [
      icon('app', 192, 'any'),
      icon('app', 512, 'any'),
      { src: '/icons/app.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
      icon('maskable', 192, 'maskable'),
      icon('maskable', 512, 'maskable'),
      icon('badge', 96, 'monochrome'),
    ],
    shortcuts: Object.entries(SHORTCUTS).map(([name, url]) => ({
      name: t(`app.shortcuts.${name}`),
      url,
      icons: [icon('app', 192, 'any')],
    })),
  };
}

/** Uses the language that the page requests, otherwise the browser's language. */
export const appManifestPlugin: FastifyPluginAsync = async (app) => {
  app.get<{ Querystring: { language?: string } }>(
    '/manifest.webmanifest',
    { schema: { hide: true } },
    async (request, reply) => {
      const { language } = request.query;
      const acceptedLanguage = parseAcceptLanguage(request.headers['accept-language']) ?? 'eng';
      return reply
        .type('application/manifest+json')
        .header('cache-control', 'no-cache')
        .header('vary', 'accept-language')
        .send(JSON.stringify(manifestIn(isLanguage(language) ? language : acceptedLanguage)));
    },
  );
};
