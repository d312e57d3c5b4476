// The meaning of an order's state: by rule for the terms and slugs of WooCommerce and PrestaShop in
// the supported languages, otherwise by the owner's choice. Orders in an unknown state wait for
// this choice.
import type { OrderMeaning } from '../order-meanings.ts';
import type { StoreOrder } from './store-payloads.ts';

/**
 * Prefixes of words after normalization, or whole words if they end in a space. In order of
 * precedence: "not paid" before "paid", "partially refunded" before "refunded".
 */
const RULES: readonly (readonly [OrderMeaning, readonly string[]])[] = [
  [
    'unpaid',
    [
      ...['draft ', 'quote ', 'quotes ', 'quotation ', 'estimate ', 'proforma '],
      ...['ywraq', 'kladd', 'utkast', 'juodrast', 'melnrakst', 'پیش نویس'],
      ...['not paid', 'unpaid', 'non paid', 'ubetalt', 'ikke betalt', 'obetal', 'ej betal'],
      ...['inte betal', 'neapmoket', 'nesumoket', 'neapmaks', 'nav apmaks', 'نشده', 'cash on del'],
      ...['failed', 'failure', 'error', 'declined', 'rejected', 'denied', 'payment error'],
      ...['mislykk', 'feilet', 'feil', 'betalingsfeil', 'avvist', 'misslyck', 'betalningsfel'],
      ...['nekad', 'nepavyk', 'klaid', 'atmest', 'neizdev', 'klud', 'noraidit', 'ناموفق', 'خطا'],
    ],
  ],
  [
    'paid',
    [
      ...[
        'payment complete',
        'partially refund',
        'partial refund',
        'delvis refund',
        'delvis ater',
        'delvis tilbake',
      ],
      ...['dalinai graz', 'daleji atmaks', 'awaiting ship', 'awaiting fulfil', 'awaiting pickup'],
      ...[
        'waiting for ship',
        'waiting for pickup',
        'ready for',
        'venter pa send',
        'laukia issiunt',
      ],
    ],
  ],
  [
    'refunded',
    [
      ...['refunded', 'refundert', 'tilbakebetalt', 'aterbetal', 'grazint', 'atmaksat'],
      ...['بازپرداخت', 'مسترد', 'مرجوع'],
    ],
  ],
  [
    'cancelled',
    [
      ...['cancel', 'trash', 'expired', 'deleted', 'kansell', 'avbrutt', 'annuller', 'avbrut'],
      ...['avbok', 'makuler', 'atsaukt', 'atcelt', 'anulet', 'لغو', 'باطل'],
    ],
  ],
  [
    'unpaid',
    [
      ...['pending', 'awaiting', 'waiting', 'onhold', 'hold ', 'voided', 'authorized'],
      ...['authorised', 'authorization', 'venter', 'avventer', 'pa vent', 'vantar', 'invantar'],
      ...['vilande', 'laukia', 'sulaikyt', 'gaida', 'aiztur', 'در انتظار', 'معلق'],
    ],
  ],
  [
    'fulfilled',
    [
      ...['complete', 'sent ', 'shipped', 'fulfilled', 'delivered', 'dispatched', 'fullfort'],
      ...['sendt', 'levert', 'slutford', 'skickad', 'leverer', 'fardig', 'ivykdyt', 'issiust'],
      ...['pristatyt', 'uzbaigt', 'pabeigt', 'nosutit', 'piegadat', 'izpildit', 'تکمیل', 'ارسال'],
      'تحویل',
    ],
  ],
  [
    'paid',
    [
      ...['processing', 'paid', 'payment accepted', 'payment received'],
      ...['remote payment accepted', 'partially paid', 'preparation', 'preparing', 'in progress'],
      ...['captured', 'backorder', 'betalt', 'betaling godkjent', 'betaling mottatt', 'behandl'],
      ...['under behandling', 'betald', 'betalning god', 'betalning mottag', 'bearbet'],
      ...[
        'apmoket',
        'sumoket',
        'mokejimas priim',
        'mokejimas gaut',
        'apdoroj',
        'vykdom',
        'ruosiam',
      ],
      ...['apmaksat', 'maksajums sanem', 'maksajums pienem', 'apstrad', 'tiek apstrad', 'sagatavo'],
      ...['پرداخت شد', 'پرداخت تایید', 'در حال پردازش', 'در حال انجام'],
    ],
  ],
];

/** `wc-on-hold`, `On hold` and `on_hold` are one state; accents are dropped. */
export function toStateKey(status: string): string {
  return status
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ø', 'o')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replace(/^(?:wc|ps) /, '');
}

/** Returns the meaning of a store's order state by rule, or undefined for an unknown term. */
export function findMeaning(status: string): OrderMeaning | undefined {
  const text = ` ${toStateKey(status)} `;
  return RULES.find(([, beginnings]) =>
    beginnings.some((beginning) => text.includes(` ${beginning}`)),
  )?.[0];
}

type State = Pick<StoreOrder, 'isPaid' | 'isFulfilled' | 'isCancelled' | 'isRefunded'>;

const OPEN_STATE: State = {
  ...{ isPaid: undefined, isFulfilled: undefined, isCancelled: undefined, isRefunded: undefined },
};

export function toOrderState(meaning: OrderMeaning): State {
  const isOver = meaning === 'cancelled' || meaning === 'refunded';
  return {
    isPaid: isOver ? undefined : meaning !== 'unpaid',
    isFulfilled: meaning === 'fulfilled' || undefined,
    isCancelled: meaning === 'cancelled',
    isRefunded: meaning === 'refunded' || undefined,
  };
}

/**
 * Returns the state of an order according to the store's term. An unknown term only shows that the
 * order is not canceled; an empty term shows nothing.
 */
export function resolveOrderState(status: string): State {
  const meaning = findMeaning(status);
  if (meaning) return toOrderState(meaning);
  return toStateKey(status) === '' ? OPEN_STATE : { ...OPEN_STATE, isCancelled: false };
}

/** Applies the meaning that the account chose for the order's state, unless a rule applies. */
export function applyChosenOrderMeaning(
  order: StoreOrder,
  meanings: Readonly<Record<string, OrderMeaning>> = {},
): StoreOrder {
  const key = toStateKey(order.status);
  const isKnown = order.isPaid !== undefined || order.isCancelled || order.isRefunded;
  const meaning = !isKnown && Object.hasOwn(meanings, key) ? meanings[key] : undefined;
  return meaning ? { ...order, ...toOrderState(meaning) } : order;
}
