// Refuses callers without a right.
import type { Right } from '../../rights.ts';
import { AppError } from '../errors.ts';

/** A caller as far as rights concern it; the product's own work has no rights and may do all. */
export type Entitled = { rights?: ReadonlySet<Right> | undefined };

/**
 * For calls whose right depends on their input or on the state of their object; contracts name all
 * others.
 * @throws missing_right
 */
export function requireRight({ rights }: Entitled, right: Right): void {
  if (rights && !rights.has(right)) throw new AppError('missing_right', { extra: { right } });
}
