// Calculates the cost of requests to a model from the prices that an administrator entered.
import type { ModelCost, ModelPrices } from '../contract.ts';
import type { ModelRow } from './models.sql.ts';

const PER_TOKENS = 1_000_000;

export function getPrices({ price_in, price_out, currency }: ModelRow): ModelPrices | null {
  if (price_in === null || price_out === null || currency === null) return null;
  return { input: Number(price_in), output: Number(price_out), currency };
}

export function computeModelCost(
  model: ModelRow,
  { tokensIn, tokensOut }: { tokensIn: number; tokensOut: number },
): ModelCost | null {
  const prices = getPrices(model);
  if (!prices) return null;
  const amount = (tokensIn * prices.input + tokensOut * prices.output) / PER_TOKENS;
  return { amount, currency: prices.currency };
}

/** Adds the actual cost to a request: the total cost of its responses. */
export function addActualCost<Request extends { cost: ModelCost | null }>(
  request: Request,
  replies: readonly { cost: ModelCost | null }[],
): Request {
  const costs = replies.flatMap(({ cost }) => (cost ? [cost] : []));
  const [first] = costs;
  if (!first) return { ...request, cost: null };
  const amount = costs.reduce((sum, cost) => sum + cost.amount, 0);
  return { ...request, cost: { amount, currency: first.currency } };
}
