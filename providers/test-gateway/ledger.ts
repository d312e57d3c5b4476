// What the built-in test gateway knows: cards that its form took, charges, refunds. No money moves. It
// lives in the web process and remembers itself in one file, a line per change.
import { randomBytes } from 'node:crypto';
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { clock } from '#platform/server/clock.ts';

export type Card = {
  token: string;
  brand: string;
  last4: string;
  exp_month: number;
  exp_year: number;
  number: string;
};
export type Charge = {
  id: string;
  key: string;
  order: string;
  amount: number;
  currency: string;
  last4: string;
  state: 'succeeded' | 'declined' | 'action_needed';
  code?: string;
  may_retry?: boolean;
  /** Kept for later charges. */
  card?: Card;
  refunded: number;
  is_disputed: boolean;
  at: string;
};
type Entry = { charge?: Charge; card?: Card; refund?: string };

/** Numbers with a behaviour of their own; every other that passes the Luhn check pays. */
export const NUMBERS = {
  declines: '4000000000000002',
  asks: '4000000000003220',
  silent: '4000000000000119',
  failsLater: '4000000000000341',
  lost: '4000000000009987',
} as const;

export type GatewayLedger = ReturnType<typeof newLedger>;

export async function openLedger(dataDir: string): Promise<GatewayLedger> {
  const file = path.join(dataDir, 'test-gateway.jsonl');
  const ledger = newLedger(async (entry) => {
    await mkdir(dataDir, { recursive: true });
    await appendFile(file, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
  });
  const text = await readFile(file, 'utf8').catch(() => '');
  for (const line of text.split('\n')) {
    try {
      if (line) ledger.take(JSON.parse(line) as Entry);
    } catch {
      // A line cut by a kill tells of nothing that was answered.
    }
  }
  return ledger;
}

function newLedger(write: (entry: Entry) => Promise<void>) {
  const charges = new Map<string, Charge>();
  const cards = new Map<string, Card>();
  const nonces = new Map<string, Card>();
  const refunds = new Set<string>();
  const id = (kind: string) => `${kind}_${randomBytes(8).toString('hex')}`;
  const save = async (charge: Charge) => {
    charges.set(charge.key, charge);
    await write({ charge });
    return charge;
  };
  return {
    take({ charge, card, refund }: Entry) {
      if (charge) charges.set(charge.key, charge);
      if (card) cards.set(card.token, card);
      if (refund) refunds.add(refund);
    },
    list: () => [...charges.values()].reverse(),
    find: (key: string) => charges.get(key),
    findById: (chargeId: string) => [...charges.values()].find((one) => one.id === chargeId),
    /** A word that stands for a card once; undefined where the number is none. */
    tokenize(number: string, month: number, year: number): string | undefined {
      if (!isCardNumber(number)) return undefined;
      const nonce = id('nonce');
      const brand = number.startsWith('4')
        ? 'Visa'
        : number.startsWith('5')
          ? 'Mastercard'
          : 'Card';
      nonces.set(nonce, {
        token: id('card'),
        brand,
        last4: number.slice(-4),
        exp_month: month,
        exp_year: year,
        number,
      });
      return nonce;
    },
    /** The same key never charges twice; a nonce works once. */
    async charge(asked: {
      key: string;
      order: string;
      amount: number;
      currency: string;
      nonce?: string | undefined;
      token?: string | undefined;
      save: boolean;
      off_session: boolean;
    }): Promise<Charge> {
      const known = charges.get(asked.key);
      if (known) return known;
      const card =
        asked.nonce === undefined ? cards.get(asked.token ?? '') : nonces.get(asked.nonce);
      if (asked.nonce !== undefined) nonces.delete(asked.nonce);
      const base = {
        id: id('charge'),
        key: asked.key,
        order: asked.order,
        amount: asked.amount,
        currency: asked.currency,
        last4: card?.last4 ?? '',
        refunded: 0,
        is_disputed: false,
        at: clock.now().toISOString(),
      };
      if (!card)
        return save({ ...base, state: 'declined', code: 'card_unknown', may_retry: false });
      if (asked.save && asked.nonce !== undefined) {
        cards.set(card.token, card);
        await write({ card });
      }
      return save({
        ...base,
        ...outcomeOf(card, asked.off_session),
        ...(asked.save ? { card } : {}),
      });
    },
    /** What the bank's page, or the page of all charges, decided. */
    async decide(charge: Charge, state: 'succeeded' | 'declined', code?: string): Promise<Charge> {
      if (charge.state !== 'action_needed') return charge;
      return save({ ...charge, state, ...(code ? { code, may_retry: true } : {}) });
    },
    async refund(key: string, charge: Charge, amount: number): Promise<boolean> {
      if (refunds.has(key)) return true;
      if (charge.state !== 'succeeded' || charge.refunded + amount > charge.amount) return false;
      refunds.add(key);
      await write({ refund: key });
      await save({ ...charge, refunded: charge.refunded + amount });
      return true;
    },
    dispute: (charge: Charge) => save({ ...charge, is_disputed: true }),
    forget: (token: string) => cards.delete(token),
  };
}

function outcomeOf(
  card: Card,
  isOffSession: boolean,
): Pick<Charge, 'state' | 'code' | 'may_retry'> {
  const { number } = card;
  if (number === NUMBERS.declines)
    return { state: 'declined', code: 'card_declined', may_retry: true };
  if (number === NUMBERS.lost) return { state: 'declined', code: 'lost_card', may_retry: false };
  if (number === NUMBERS.asks) return { state: 'action_needed' };
  if (number === NUMBERS.failsLater && isOffSession) {
    return { state: 'declined', code: 'insufficient_funds', may_retry: true };
  }
  return { state: 'succeeded' };
}

/** Luhn (ISO/IEC 7812-1, annex B). */
export function isCardNumber(number: string): boolean {
  if (!/^\d{12,19}$/.test(number)) return false;
  const digits = [...number].reverse().map(Number);
  const sum = digits.reduce((total, digit, i) => {
    const value = i % 2 === 1 ? digit * 2 : digit;
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
