// The twelve layouts of new forms, each a finished design in four languages.
import {
  type Block,
  type FormDocument,
  type FormType,
  type Layout,
  LAYOUTS,
  type Styles,
  STYLES,
  TEMPLATE_LANGUAGES,
} from '#embed/forms/shared/document.ts';

export type TemplateLanguage = (typeof TEMPLATE_LANGUAGES)[number];

type Words = Record<
  | 'news'
  | 'newsText'
  | 'email'
  | 'emailHint'
  | 'first'
  | 'firstHint'
  | 'phone'
  | 'phoneHint'
  | 'join'
  | 'next'
  | 'decline'
  | 'thanks'
  | 'thanksText'
  | 'offer'
  | 'offerText'
  | 'spin'
  | 'spinText'
  | 'spinButton'
  | 'prize'
  | 'prizeText'
  | 'terms'
  | 'sms'
  | 'free'
  | 'nothing'
  | 'off',
  string
>;

const WORDS: Record<TemplateLanguage, Words> = {
  eng: {
    news: 'Be the first to know',
    newsText: 'New arrivals, offers and stories. One email a week, and you leave when you like.',
    email: 'Email',
    emailHint: 'you@example.com',
    first: 'First name',
    firstHint: 'Your first name',
    phone: 'Phone',
    phoneHint: '+1 555 010 0000',
    join: 'Sign up',
    next: 'Continue',
    decline: 'No, thanks',
    thanks: 'Thank you!',
    thanksText: 'You are on the list. Welcome.',
    offer: '10% off your first order',
    offerText: 'Sign up and get your code at once.',
    spin: 'Spin and win',
    spinText: 'One spin, one prize. Leave your email and try your luck.',
    spinButton: 'Spin the wheel',
    prize: 'Your prize',
    prizeText: 'Use it at the checkout:',
    terms: 'I am 18 or older and accept the terms of the draw.',
    sms: 'Text me offers at this number. Message and data rates may apply. Reply STOP to stop. Agreeing is no condition of purchase.',
    free: 'Free shipping',
    nothing: 'Not this time',
    off: '{n}% off',
  },
  lit: {
    news: 'Sužinokite pirmieji',
    newsText:
      'Naujienos, pasiūlymai ir istorijos. Vienas laiškas per savaitę, atsisakysite kada panorėję.',
    email: 'El. paštas',
    emailHint: 'jusu@pastas.lt',
    first: 'Vardas',
    firstHint: 'Jūsų vardas',
    phone: 'Telefonas',
    phoneHint: '+370 600 00000',
    join: 'Prenumeruoti',
    next: 'Toliau',
    decline: 'Ne, ačiū',
    thanks: 'Ačiū!',
    thanksText: 'Jūs sąraše. Sveiki atvykę.',
    offer: '10 % nuolaida pirmam užsakymui',
    offerText: 'Užsiprenumeruokite ir iškart gaukite kodą.',
    spin: 'Sukite ir laimėkite',
    spinText: 'Vienas sukimas, vienas prizas. Palikite el. paštą ir išbandykite laimę.',
    spinButton: 'Sukti ratą',
    prize: 'Jūsų prizas',
    prizeText: 'Panaudokite apmokėdami:',
    terms: 'Man yra 18 metų ir sutinku su loterijos taisyklėmis.',
    sms: 'Sutinku gauti pasiūlymus SMS šiuo numeriu. Gali būti taikomi ryšio mokesčiai. Atsisakysite parašę STOP. Sutikimas nėra pirkimo sąlyga.',
    free: 'Nemokamas pristatymas',
    nothing: 'Ne šį kartą',
    off: '{n} % nuolaida',
  },
  pol: {
    news: 'Dowiedz się pierwszy',
    newsText: 'Nowości, oferty i historie. Jeden e-mail tygodniowo, rezygnujesz, kiedy chcesz.',
    email: 'E-mail',
    emailHint: 'ty@przyklad.pl',
    first: 'Imię',
    firstHint: 'Twoje imię',
    phone: 'Telefon',
    phoneHint: '+48 500 000 000',
    join: 'Zapisz się',
    next: 'Dalej',
    decline: 'Nie, dziękuję',
    thanks: 'Dziękujemy!',
    thanksText: 'Jesteś na liście. Witaj.',
    offer: '10% zniżki na pierwsze zamówienie',
    offerText: 'Zapisz się i od razu otrzymaj kod.',
    spin: 'Zakręć i wygraj',
    spinText: 'Jeden obrót, jedna nagroda. Zostaw e-mail i spróbuj szczęścia.',
    spinButton: 'Zakręć kołem',
    prize: 'Twoja nagroda',
    prizeText: 'Użyj przy zamówieniu:',
    terms: 'Mam ukończone 18 lat i akceptuję regulamin losowania.',
    sms: 'Chcę otrzymywać oferty SMS na ten numer. Operator może naliczyć opłaty. Rezygnacja: odpowiedz STOP. Zgoda nie jest warunkiem zakupu.',
    free: 'Darmowa dostawa',
    nothing: 'Nie tym razem',
    off: '{n}% zniżki',
  },
  spa: {
    news: 'Entérate antes que nadie',
    newsText:
      'Novedades, ofertas e historias. Un correo a la semana y te das de baja cuando quieras.',
    email: 'Correo electrónico',
    emailHint: 'tu@ejemplo.es',
    first: 'Nombre',
    firstHint: 'Tu nombre',
    phone: 'Teléfono',
    phoneHint: '+34 600 000 000',
    join: 'Suscribirme',
    next: 'Continuar',
    decline: 'No, gracias',
    thanks: '¡Gracias!',
    thanksText: 'Ya estás en la lista. Bienvenido.',
    offer: '10 % de descuento en tu primer pedido',
    offerText: 'Suscríbete y recibe tu código al instante.',
    spin: 'Gira y gana',
    spinText: 'Un giro, un premio. Deja tu correo y prueba suerte.',
    spinButton: 'Girar la ruleta',
    prize: 'Tu premio',
    prizeText: 'Úsalo al pagar:',
    terms: 'Soy mayor de 18 años y acepto las bases del sorteo.',
    sms: 'Quiero recibir ofertas por SMS en este número. Pueden aplicarse tarifas. Responde STOP para darte de baja. Aceptar no es condición de compra.',
    free: 'Envío gratis',
    nothing: 'Esta vez no',
    off: '{n} % de descuento',
  },
};

export function layoutsOf(type: FormType): readonly Layout[] {
  return LAYOUTS[type];
}

export function isLayoutOf(type: FormType, layout: string): layout is Layout {
  return (LAYOUTS[type] as readonly string[]).includes(layout);
}

const field = (
  id: string,
  words: { label: string; placeholder: string },
  as: 'email' | 'text' | 'phone',
  required: boolean,
  half = false,
): Block => ({
  id,
  kind: 'field',
  field: id,
  as,
  ...words,
  required,
  options: [],
  value: '',
  half,
});

/** Colors of the layouts: calm, each with an accent that contrasts with its button's text. */
const STYLES_OF: Partial<Record<Layout, Partial<Styles>>> = {
  card: {},
  'picture-start': {
    button: '#1f6f5c',
    radius: 16,
    borderWidth: 0,
    buttonRadius: 8,
    fieldRadius: 8,
  },
  'picture-top': {
    button: '#b0413e',
    radius: 16,
    borderWidth: 0,
    align: 'center',
    headingSize: 28,
    buttonRadius: 24,
    fieldRadius: 24,
  },
  'picture-behind': {
    button: '#1b1d22',
    radius: 16,
    borderWidth: 0,
    buttonRadius: 8,
    fieldRadius: 8,
  },
  corner: {
    width: 400,
    headingSize: 20,
    button: '#c2255c',
    radius: 16,
    borderColour: '#f3d1de',
    heading: '#6d1435',
    colour: '#5c4650',
    buttonRadius: 8,
    fieldRadius: 8,
  },
  bar: {
    width: 1200,
    background: '#1b1d22',
    colour: '#d9dbe2',
    heading: '#ffffff',
    headingSize: 18,
    radius: 0,
    borderWidth: 0,
    button: '#ffd166',
    buttonColour: '#1b1d22',
    fieldBorder: '#5b606b',
  },
  full: {
    width: 1200,
    // The background color of its picture.
    background: '#e9edf9',
    colour: '#434968',
    heading: '#1c2350',
    headingSize: 40,
    align: 'center',
    radius: 0,
    borderWidth: 0,
    buttonRadius: 24,
    fieldRadius: 24,
  },
  'two-steps': {
    background: '#f6f3ff',
    colour: '#4c4763',
    heading: '#2e2357',
    headingSize: 30,
    button: '#5a3fc0',
    buttonRadius: 12,
    fieldRadius: 12,
    radius: 20,
    borderWidth: 0,
    align: 'center',
  },
  stacked: {},
  row: {
    width: 720,
    shadow: false,
    background: '#eef6f1',
    borderWidth: 0,
    radius: 16,
    heading: '#173f34',
    colour: '#3d5a50',
    button: '#1f6f5c',
    fieldBorder: '#7c9a8f',
  },
  'wheel-beside': {
    width: 480,
    background: '#fff7ec',
    borderColour: '#f2c078',
    button: '#c2410c',
    radius: 16,
    heading: '#7c2d12',
    colour: '#6b3f26',
  },
  'wheel-above': {
    width: 420,
    background: '#eef2ff',
    borderColour: '#c7d2fe',
    button: '#4338ca',
    radius: 16,
    align: 'center',
    heading: '#312e81',
    colour: '#3f3d63',
  },
};

/** Illustrations of the product, served by content. */
const PICTURES: Partial<Record<Layout, string>> = {
  'picture-start': 'blossom',
  'picture-top': 'gifts',
  'picture-behind': 'hills',
  full: 'letter',
};

/**
 * The document of a new form. Each layout asks for the email and requires it.
 * @param origin the product's own origin, for the pictures of its layouts
 */
export function documentOf(
  layout: Layout,
  language: TemplateLanguage,
  origin: string,
): FormDocument {
  const w = WORDS[language];
  const email = field(
    'email',
    { label: w.email, placeholder: w.emailHint },
    'email',
    true,
    layout === 'row',
  );
  const first = field(
    'firstname',
    { label: w.first, placeholder: w.firstHint },
    'text',
    false,
    layout === 'row',
  );
  const heading = (text: string): Block => ({ id: 'heading', kind: 'heading', text });
  const text = (words: string): Block => ({ id: 'text', kind: 'text', text: words });
  const button = (words: string): Block => ({ id: 'button', kind: 'button', text: words });
  const decline: Block = { id: 'decline', kind: 'decline', text: w.decline };
  const isWheel = layout.startsWith('wheel');
  const isOffer = ['picture-start', 'picture-top', 'corner', 'two-steps'].includes(layout);
  const head = isWheel
    ? [heading(w.spin), text(w.spinText)]
    : isOffer
      ? [heading(w.offer), text(w.offerText)]
      : [heading(w.news), text(w.newsText)];
  const terms: Block = { id: 'terms', kind: 'consent', as: 'terms', text: w.terms, required: true };
  const phone = field('phone', { label: w.phone, placeholder: w.phoneHint }, 'phone', false);
  const sms: Block = { id: 'sms', kind: 'consent', as: 'sms', text: w.sms, required: false };
  const blocks: Block[] = [
    ...head,
    ...(layout === 'stacked' || layout === 'row' || layout === 'card' ? [first] : []),
    email,
    ...(isWheel ? [terms] : []),
    button(isWheel ? w.spinButton : layout === 'two-steps' ? w.next : w.join),
    ...(layout === 'full' || layout === 'picture-top' || isWheel ? [decline] : []),
  ];
  const steps = [{ id: 'one', blocks }];
  if (layout === 'two-steps') {
    steps.push({
      id: 'two',
      blocks: [heading(w.offer), phone, sms, button(w.join)].map((block) => ({
        ...block,
        id: `${block.id}-2`,
      })),
    });
  }
  return {
    version: 1,
    language,
    layout,
    steps,
    success: isWheel
      ? [heading(w.prize), { id: 'code', kind: 'code', text: w.prizeText }]
      : [heading(w.thanks), text(w.thanksText)],
    picture: PICTURES[layout] ? { url: `${origin}/i/art/${PICTURES[layout]}.png`, alt: '' } : null,
    teaser: '',
    styles: { ...STYLES, ...STYLES_OF[layout] },
  };
}

/** Slice colors that match the rest of their layout. */
const WARM = ['#c2410c', '#fed7aa', '#ea580c', '#fdba74', '#9a3412', '#ffedd5'];
const INDIGO = ['#4338ca', '#e0e7ff', '#6d28d9', '#c7d2fe', '#312e81', '#ede9fe'];

/** The slices of a new wheel. */
export function slicesOf(language: TemplateLanguage, layout: Layout) {
  const w = WORDS[language];
  const colours = layout === 'wheel-above' ? INDIGO : WARM;
  const off = (n: number) => w.off.replace('{n}', String(n));
  const first: [label: string, code: string, weight: number][] = [
    [off(5), 'SPIN5', 30],
    [w.nothing, '', 25],
    [off(10), 'SPIN10', 20],
    [w.free, 'SPINFREE', 15],
    [off(20), 'SPIN20', 5],
    [w.nothing, '', 5],
  ];
  return first.map(([label, coupon_code, weight], at) => ({
    label,
    coupon_code,
    is_losing: coupon_code === '',
    weight,
    uses_stock: false,
    stock: at,
    colour: colours[at] ?? '#c2410c',
  }));
}
