// The demo shop, Harbour Tea House: names of subscribers, and newsletters. Everything is invented.
// All addresses are under .example or example.com, which are reserved for examples (RFC 2606).
import { DIRECTION, type Language } from '#platform/languages.ts';
import type { DemoHistory } from './history.sql.ts';
import { fillIn } from './texts.ts';

export const OWNER_EMAIL = 'owner@example.com';
export const SUBSCRIBERS = 20_000;
export const CAMPAIGNS = 52;
/** Days between two newsletters, for two years. */
export const RHYTHM_DAYS = 14;

export const ACCOUNT = {
  title: 'Harbour Tea House',
  website: 'https://harbourtea.example',
  address: '12 Quay Street',
  city: 'Galway',
  state: 'Connacht',
  zip_code: 'H91 AX0K',
  country: 'IE',
  timezone: 'Europe/Dublin',
};

export const FIRST_NAMES = (
  'Ada Aoife Astrid Beatriz Ciara Daina Edvard Elena Emil Fatemeh Finn Greta Hana Ieva Ingrid Isla Jonas ' +
  'Kaja Karolis Lars Layla Leo Liam Līga Linus Maja Maryam Mateo Mia Milda Nils Noah Nora Olivia Oskar ' +
  'Parisa Priya Rasa Reza Róisín Rūta Saga Samuel Sanne Sofia Tariq Tomas Una Vera Wren'
).split(' ');

export const LAST_NAMES = (
  'Ahmadi Andersson Bērziņš Burke Byrne Costa Dahl Doyle Eriksen Ferreira Gallagher Hansen Holm Jankauskas ' +
  'Johansson Kavanagh Kazlauskas Keane Kelly Larsen Lind Lynch Mahoney Moradi Moreau Murphy Nilsen Nowak ' +
  "O'Brien Olsen Ozola Petrauskas Quinn Rahimi Rossi Ryan Sato Silva Solberg Strand Svensson Tanaka " +
  'Urbonas Vītols Walsh Weber Whelan Young Zariņa Åberg'
).split(' ');

export const EMAIL_HOSTS = [
  'post.example',
  'mailbox.example',
  'letters.example',
  'inbox.example',
  'brev.example',
];

/** The paths of the teas on the shop's website, in the order of their names. */
const TEA_PATHS = 'assam darjeeling lapsang genmaicha jasmine oolong rooibos sencha'.split(' ');

export const teaUrl = (index: number) => `${ACCOUNT.website}/tea/${TEA_PATHS[index] ?? ''}`;

export function postalAddress(locale: string): string {
  const { address, city, zip_code, country } = ACCOUNT;
  const land = new Intl.DisplayNames(locale, { type: 'region' }).of(country) ?? country;
  return [address, city, zip_code, land].join(', ');
}

type Story = { title: string; subject: string; preheader: string; intro: string; offer: string };
type DemoLanguage = Pick<DemoHistory, 'language' | 'locale' | 'texts'>;

/** Returns the month and the year, in this order; in Persian, ICU puts the year first. */
function monthOf(locale: string, at: Date): string {
  const formatPart = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, options).format(at);
  return locale === 'fa'
    ? `${formatPart({ month: 'long' })} ${formatPart({ year: 'numeric' })}`
    : formatPart({ month: 'long', year: 'numeric' });
}

/** Stories repeat every half-year; each newsletter is named after its month. */
export function findStory({ locale, texts }: DemoLanguage, index: number, at: Date): Story {
  const story = texts.stories[index % texts.stories.length] ?? [];
  const [title = '', subject = '', preheader = '', intro = '', offer = ''] = story;
  return {
    title: fillIn(fillIn(texts.issue, 'title', title), 'month', monthOf(locale, at)),
    subject,
    preheader,
    intro,
    offer,
  };
}

/** The font of the emails; Georgia has no Persian letters. */
export const getEmailFont = (language: Language) =>
  DIRECTION[language] === 'rtl' ? 'Vazirmatn,Tahoma,sans-serif' : 'Georgia,serif';

/**
 * Returns one newsletter as custom HTML with tables and inline styles, as email clients require.
 */
export function newsletterHtml(
  { language, locale, texts }: DemoLanguage,
  story: Story,
  index: number,
) {
  const tint = ['#e8efe6', '#efe9df', '#e3ebf1', '#f1e5e3'][index % 4];
  const font = `font-family:${getEmailFont(language)}`;
  const start = DIRECTION[language] === 'rtl' ? 'right' : 'left';
  const site = ACCOUNT.website;
  const link = (url: string, text: string, style = 'color:#1f4d3a') =>
    `<a href="${url}" style="${style}">${text}</a>`;
  const shelf = [0, 1, 2]
    .map((offset) => (index % 5) + offset)
    .map(
      (
        tea,
      ) => `<td width="33%" style="padding:12px;text-align:center;${font};font-size:15px;color:#2b2b26">
        <div style="height:64px;line-height:64px;background:${tint};border-radius:6px;font-size:26px">&#9749;</div>
        <p style="margin:10px 0 4px">${texts.teas[tea] ?? ''}</p>${link(teaUrl(tea), texts.look)}</td>`,
    )
    .join('\n');
  return `<!doctype html>
<html lang="${locale}" dir="${DIRECTION[language]}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${story.title}</title></head>
<body style="margin:0;background:#f4f3ee">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="600" cellpadding="0" cellspacing="0" dir="${DIRECTION[language]}" style="max-width:600px;width:100%;background:#ffffff;border-radius:8px;text-align:${start}">
<tr><td style="padding:28px 36px;background:${tint};border-radius:8px 8px 0 0;${font};font-size:20px;color:#1f4d3a">${link(`${site}/`, ACCOUNT.title, 'color:#1f4d3a;text-decoration:none')}</td></tr>
<tr><td style="padding:32px 36px;${font};font-size:17px;line-height:27px;color:#2b2b26">
<h1 style="margin:0 0 18px;font-size:28px;line-height:36px;font-weight:normal">${story.preheader}</h1>
<p>${texts.greeting}</p><p>${story.intro}</p>
<p style="margin:28px 0">${link(`${site}/news/${index + 1}`, story.offer, 'background:#1f4d3a;color:#ffffff;text-decoration:none;padding:13px 26px;border-radius:6px;display:inline-block')}</p>
<p>${texts.regards}<br>${texts.signed}</p></td></tr>
<tr><td style="padding:8px 24px 24px"><table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr>${shelf}</tr></table></td></tr>
<tr><td style="padding:20px 36px;border-top:1px solid #e4e4de;font-family:Tahoma,Arial,sans-serif;font-size:12px;line-height:19px;color:#6a6a62">
<bdi>${ACCOUNT.title}, ${postalAddress(locale)}</bdi><br>
<a href="{{browser_preview}}" style="color:#6a6a62">${texts.browser}</a> &middot; <a href="{{unsubscribe_link}}" style="color:#6a6a62">${texts.unsubscribe}</a></td></tr>
</table></td></tr></table></body></html>`;
}
