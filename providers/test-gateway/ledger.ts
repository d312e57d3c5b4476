// The state of the built-in test gateway: stored cards, charges and refunds. No money moves. The
// web process holds the state and appends each stored card, charge and refund as a line to a file.
import { randomBytes } from 'node:crypto';
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { clock } from '#platform/server/clock.ts';

export type TestCard = {
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
  /** The card, if it was stored for later charges. */
  card?: TestCard;
  refunded: number;
  is_disputed: boolean;
  at: string;
};
type LedgerEntry = { charge?: Charge; card?: TestCard; refund?: string };

/**
 * Card numbers with a specific behavior; a charge to any other number that passes the Luhn check
 * succeeds.
 */
export const NUMBERS = {
  declines: '4000000000000002',
  challenged: '4000000000003220',
  silent: '4000000000000119',
  failsLater: '4000000000000341',
  lost: '4000000000009987',
} as const;

export async function openLedger(dataDir: string): Promise<GatewayLedger> {
  const file = path.join(dataDir, 'test-gateway.jsonl');
  const ledger = new GatewayLedger(async (entry) => {
    await mkdir(dataDir, { recursive: true });
    await appendFile(file, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
  });
  const text = await readFile(file, 'utf8').catch(() => '');
  for (const line of text.split('\n')) {
    try {
      if (line) ledger.apply(JSON.parse(line) as LedgerEntry);
    } catch {
      // An incomplete line, written when the process was killed, belongs to an unanswered request.
    }
  }
  return ledger;
}

export class GatewayLedger {
  private readonly charges = new Map<string, Charge>();
  private readonly cards = new Map<string, TestCard>();
  private readonly nonces = new Map<string, TestCard>();
  private readonly refunds = new Set<string>();
  private readonly write: (entry: LedgerEntry) => Promise<void>;

  /** @param write persists a change for the next start */
  constructor(write: (entry: LedgerEntry) => Promise<void>) {
    this.write = write;
  }

  apply({ charge, card, refund }: LedgerEntry): void {
    if (charge) this.charges.set(charge.key, charge);
    if (card) this.cards.set(card.token, card);
    if (refund) this.refunds.add(refund);
  }

  list(): Charge[] {
    return [...this.charges.values()].reverse();
  }

  find(key: string): Charge | undefined {
    return this.charges.get(key);
  }

  findById(chargeId: string): Charge | undefined {
    return [...this.charges.values()].find((charge) => charge.id === chargeId);
  }

  /** A single-use token for a card; undefined for an invalid number. */
  tokenize(number: string, month: number, year: number): string | undefined {
    if (!isCardNumber(number)) return undefined;
    const nonce = newId('nonce');
    const brand = number.startsWith('4') ? 'Visa' : number.startsWith('5') ? 'Mastercard' : 'Card';
    this.nonces.set(nonce, {
      token: newId('card'),
      brand,
      last4: number.slice(-4),
      exp_month: month,
      exp_year: year,
      number,
    });
    return nonce;
  }

  /**
   * Makes a charge. A second charge with the same key returns the first; a nonce works only once.
   */
  async charge(request: TestChargeRequest): Promise<Charge> {
    const existingCharge = this.charges.get(request.key);
    if (existingCharge) return existingCharge;
    const { nonce } = request;
    const card = nonce === undefined ? this.cards.get(request.token ?? '') : this.nonces.get(nonce);
    if (nonce !== undefined) this.nonces.delete(nonce);
    const base = {
      id: newId('charge'),
      key: request.key,
      order: request.order,
      amount: request.amount,
      currency: request.currency,
      last4: card?.last4 ?? '',
      refunded: 0,
      is_disputed: false,
      at: clock.now().toISOString(),
    };
    if (!card)
      return this.save({ ...base, state: 'declined', code: 'card_unknown', may_retry: false });
    if (request.save && nonce !== undefined) {
      this.cards.set(card.token, card);
      await this.write({ card });
    }
    return this.save({
      ...base,
      ...outcomeOf(card, request.off_session),
      ...(request.save ? { card } : {}),
    });
  }

  /** Records the decision of the bank's page, or a cancellation by the product. */
  async decide(charge: Charge, state: 'succeeded' | 'declined', code?: string): Promise<Charge> {
    if (charge.state !== 'action_needed') return charge;
    return this.save({ ...charge, state, ...(code ? { code, may_retry: true } : {}) });
  }

  async refund(key: string, charge: Charge, amount: number): Promise<boolean> {
    if (this.refunds.has(key)) return true;
    if (charge.state !== 'succeeded' || charge.refunded + amount > charge.amount) return false;
    this.refunds.add(key);
    await this.write({ refund: key });
    await this.save({ ...charge, refunded: charge.refunded + amount });
    return true;
  }

  dispute(charge: Charge): Promise<Charge> {
    return this.save({ ...charge, is_disputed: true });
  }

  deleteMethod(token: string): void {
    this.cards.delete(token);
  }

  private async save(charge: Charge): Promise<Charge> {
    this.charges.set(charge.key, charge);
    await this.write({ charge });
    return charge;
  }
}

type TestChargeRequest = {
  key: string;
  order: string;
  amount: number;
  currency: string;
  nonce?: string | undefined;
  token?: string | undefined;
  save: boolean;
  off_session: boolean;
};

const newId = (kind: string) => `${kind}_${randomBytes(8).toString('hex')}`;

function outcomeOf(
  card: TestCard,
  isOffSession: boolean,
): Pick<Charge, 'state' | 'code' | 'may_retry'> {
  const { number } = card;
  if (number === NUMBERS.declines)
    return { state: 'declined', code: 'card_declined', may_retry: true };
  if (number === NUMBERS.lost) return { state: 'declined', code: 'lost_card', may_retry: false };
  if (number === NUMBERS.challenged) return { state: 'action_needed' };
  if (number === NUMBERS.failsLater && isOffSession) {
    return { state: 'declined', code: 'insufficient_funds', may_retry: true };
  }
  return { state: 'succeeded' };
}

/**
 * Returns whether a number has the right length and check digit (Luhn: ISO/IEC 7812-1, annex B).
 */
export function isCardNumber(number: string): boolean {
  if (!/^\d{12,19}$/.test(number)) return false;
  const digits = [...number].reverse().map(Number);
  const sum = digits.reduce((total, digit, i) => {
    const value = i % 2 === 1 ? digit * 2 : digit;
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
