// The demo shop: Harbour Tea House, names of subscribers, newsletters. All invented; every address
// is under .example, which is never deliverable (RFC 2606).

export const OWNER_EMAIL = 'owner@example.com';
export const PEOPLE = 20_000;
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

export const GROUPS = ['Newsletter', 'Loyal customers', 'Shop visitors', 'Tasting evenings'];
export const FIELDS = [
  { title: 'Favourite tea', type: 'text' },
  { title: 'Cups a week', type: 'number' },
  { title: 'Birthday', type: 'datetime' },
] as const;
export const TEAS = [
  'Assam',
  'Darjeeling',
  'Earl Grey',
  'Genmaicha',
  'Jasmine',
  'Oolong',
  'Rooibos',
  'Sencha',
];

type Story = { title: string; subject: string; preheader: string; lead: string; offer: string };

/** Thirteen stories, repeated every half-year. */
export const STORIES: Story[] = [
  {
    title: 'First flush',
    subject: 'The first flush is in, {{firstname | default: "friend"}}',
    preheader: 'Picked three weeks ago, in the shop today',
    lead: 'Every spring we wait for one parcel. It came on Tuesday: forty tins of Darjeeling, green at the edges and light as rain.',
    offer: 'Try the first flush',
  },
  {
    title: 'Brewing guide',
    subject: 'Three minutes make the difference',
    preheader: 'A short guide to water, time and patience',
    lead: 'Most bitter tea is only tea that was forgotten. We measured, tasted and wrote the times on a card for you.',
    offer: 'Get the brewing card',
  },
  {
    title: 'Weekend sale',
    subject: '20 % off all tins until Sunday',
    preheader: 'Tins, caddies and the blue enamel ones',
    lead: 'We are making room on the shelves. Until Sunday evening every tin is a fifth cheaper, in the shop and online.',
    offer: 'See the tins',
  },
  {
    title: 'New blend: Harbour Fog',
    subject: 'Meet Harbour Fog',
    preheader: 'Smoke, bergamot and a little vanilla',
    lead: 'Aoife mixed it for a cold morning on the quay and nobody let her stop. Harbour Fog is now a blend of its own.',
    offer: 'Meet the blend',
  },
  {
    title: 'Tasting evening',
    subject: 'You are invited: an evening of oolong',
    preheader: 'Six teas, twelve chairs, one long table',
    lead: 'Six oolongs from pale to dark, poured by the man who buys them. There are twelve chairs, and they go quickly.',
    offer: 'Keep a chair',
  },
  {
    title: 'Behind the counter',
    subject: 'Who packs your tea?',
    preheader: 'A morning with Tomas, who never miscounts',
    lead: 'Tomas has packed some forty thousand parcels and remembers an alarming number of them. We asked him about string.',
    offer: 'Read the story',
  },
  {
    title: 'Free delivery week',
    subject: 'Delivery is on us this week',
    preheader: 'No smallest order, no code to remember',
    lead: 'One parcel or five, near or far: until Friday we pay the postman. Nothing to type in, it is simply so.',
    offer: 'Fill a basket',
  },
  {
    title: 'Iced tea',
    subject: 'Cold tea for warm days',
    preheader: 'Overnight in the fridge, perfect by noon',
    lead: 'Ten grams, one litre, one night. Cold water takes its time and leaves the bitterness behind.',
    offer: 'Find your cold brew',
  },
  {
    title: 'Gift boxes',
    subject: 'Gifts that fit through a letter box',
    preheader: 'Flat boxes, handwritten cards',
    lead: 'We drew a box that the postman need not ring for. Four teas, one card, written by hand if you tell us what to say.',
    offer: 'Make a gift box',
  },
  {
    title: 'Farmers we buy from',
    subject: 'A letter from Ilam',
    preheader: 'The Rai family on a dry year and a good one',
    lead: 'The Rai family has grown our house tea for nine years. They wrote to us about rain, school and the new drying shed.',
    offer: 'Read the letter',
  },
  {
    title: 'Survey',
    subject: 'Two questions, one cup',
    preheader: 'Tell us what to buy next',
    lead: 'We can bring in two new teas this season and would rather ask than guess. It takes less time than the kettle.',
    offer: 'Answer two questions',
  },
  {
    title: 'Last boxes',
    subject: 'Nearly gone: the winter caddy',
    preheader: '61 left, no more this year',
    lead: 'The winter caddy was made once, by one potter, in one firing. Sixty-one are left and there will be no others.',
    offer: 'See the caddy',
  },
  {
    title: 'Loyalty thanks',
    subject: 'A thank-you, {{firstname | default: "dear customer"}}',
    preheader: 'Because you keep coming back',
    lead: 'You have been with us for a while now. There is a small packet of something good in your next parcel.',
    offer: 'See your thank-you',
  },
];

/** Stories repeat in order; each newsletter is named after its month. */
export function storyOf(index: number, at: Date): Story {
  const story = STORIES[index % STORIES.length] as Story;
  const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric' }).format(at);
  return { ...story, title: `${story.title}, ${month}` };
}

/** One newsletter as custom HTML with tables and inline styles, as email clients require. */
export function newsletterHtml(story: Story, index: number): string {
  const tint = ['#e8efe6', '#efe9df', '#e3ebf1', '#f1e5e3'][index % 4];
  const site = ACCOUNT.website;
  const link = (path: string, text: string, style = 'color:#1f4d3a') =>
    `<a href="${site}/${path}" style="${style}">${text}</a>`;
  const shelf = TEAS.slice(index % 5, (index % 5) + 3)
    .map(
      (
        tea,
      ) => `<td width="33%" style="padding:12px;text-align:center;font-family:Georgia,serif;font-size:15px;color:#2b2b26">
        <div style="height:64px;line-height:64px;background:${tint};border-radius:6px;font-size:26px">&#9749;</div>
        <p style="margin:10px 0 4px">${tea}</p>${link(`tea/${tea.toLowerCase().replaceAll(' ', '-')}`, 'Look closer')}</td>`,
    )
    .join('\n');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${story.title}</title></head>
<body style="margin:0;background:#f4f3ee">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="600" cellpadding="0" cellspacing="0" style="max-width:600px;width:100%;background:#ffffff;border-radius:8px">
<tr><td style="padding:28px 36px;background:${tint};border-radius:8px 8px 0 0;font-family:Georgia,serif;font-size:20px;color:#1f4d3a">${link('', 'Harbour Tea House', 'color:#1f4d3a;text-decoration:none')}</td></tr>
<tr><td style="padding:32px 36px;font-family:Georgia,serif;font-size:17px;line-height:27px;color:#2b2b26">
<h1 style="margin:0 0 18px;font-size:28px;line-height:36px;font-weight:normal">${story.preheader}</h1>
<p>Dear {{firstname | default: "friend"}},</p><p>${story.lead}</p>
<p style="margin:28px 0">${link(`news/${index + 1}`, story.offer, 'background:#1f4d3a;color:#ffffff;text-decoration:none;padding:13px 26px;border-radius:6px;display:inline-block')}</p>
<p>Warm regards from the quay,<br>Aoife and Tomas</p></td></tr>
<tr><td style="padding:8px 24px 24px"><table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr>${shelf}</tr></table></td></tr>
<tr><td style="padding:20px 36px;border-top:1px solid #e4e4de;font-family:Arial,sans-serif;font-size:12px;line-height:19px;color:#6a6a62">
Harbour Tea House, 12 Quay Street, Galway, H91 AX0K, Ireland<br>
<a href="{{browser_preview}}" style="color:#6a6a62">View in browser</a> &middot; <a href="{{unsubscribe_link}}" style="color:#6a6a62">Unsubscribe</a></td></tr>
</table></td></tr></table></body></html>`;
}
