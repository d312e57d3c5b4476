// The built-in meanings of stores' order states: terms in the product's languages, and slugs.
import { expect, test } from 'vitest';
import type { OrderMeaning } from '../order-meanings.ts';
import { findMeaning, resolveOrderState } from './order-states.ts';

const STATES: Record<OrderMeaning, readonly string[]> = {
  unpaid: [
    ...['awaiting_check_payment', 'Awaiting bank wire payment', 'payment_error', 'wc-on-hold'],
    ...['On backorder (not paid)', 'Awaiting Cash On Delivery validation', 'wc-failed', 'Draft'],
    ...['Venter på betaling', 'Betalingsfeil', 'Ikke betalt', 'På vent', 'Mislykket'],
    ...['Väntar på betalning', 'Betalningsfel', 'Ej betald', 'Misslyckades'],
    ...['Laukiama apmokėjimo', 'Mokėjimo klaida', 'Neapmokėtas', 'Nepavykęs', 'Sulaikytas'],
    ...['Gaida apmaksu', 'Maksājuma kļūda', 'Nav apmaksāts', 'Neizdevās', 'Aizturēts'],
    ...['در انتظار پرداخت', 'پرداخت نشده', 'ناموفق', 'خطای پرداخت'],
  ],
  paid: [
    ...['Payment accepted', 'Processing in progress', 'On backorder (paid)', 'Paid'],
    ...['partially-refunded', 'Awaiting shipment', 'Remote payment accepted', 'payment_complete'],
    ...['Betaling mottatt', 'Behandles', 'Betalning mottagen', 'Behandlas', 'Apmokėta'],
    ...['Mokėjimas priimtas', 'Vykdomas', 'Apmaksāts', 'Maksājums saņemts', 'Tiek apstrādāts'],
    ...['پرداخت شده', 'در حال پردازش', 'در حال انجام'],
  ],
  fulfilled: [
    ...['Shipped', 'Delivered', 'wc-completed', 'Sendt', 'Levert', 'Fullført', 'Skickad'],
    ...['Levererad', 'Slutförd', 'Išsiųsta', 'Pristatyta', 'Įvykdytas', 'Nosūtīts', 'Piegādāts'],
    ...['Pabeigts', 'ارسال شده', 'تحویل داده شد', 'تکمیل شده'],
  ],
  cancelled: [
    ...['Canceled', 'wc-cancelled', 'Kansellert', 'Annullerad', 'Avbruten', 'Atšauktas'],
    ...['Atcelts', 'لغو شده', 'trash'],
  ],
  refunded: [
    ...['Refunded', 'Refundert', 'Återbetald', 'Grąžinta', 'Atmaksāts klientam?', 'بازپرداخت شده'],
  ],
};

test.each(
  Object.entries(STATES).flatMap(([meaning, states]) => states.map((state) => [state, meaning])),
)('the order state %s means %s', (state, meaning) => {
  expect(findMeaning(state as string)).toBe(meaning);
});

test.each(['Gift wrapped', 'incomplete', 'Preorder', '', '???'])(
  'the order state "%s" has no built-in meaning',
  (state) => {
    expect(findMeaning(state)).toBeUndefined();
    expect(resolveOrderState(state).isPaid).toBeUndefined();
  },
);
