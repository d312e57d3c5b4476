// The builder's state: cards of conditions being edited, and their conversion from and to the
// conditions of a filter.
import { getOperandKind, listOperators } from '../conditions.ts';
import { readConditions } from '../filter-grammar.ts';
import type { Concat, Condition, Operator } from '../shared.ts';

export type ConditionDraft = {
  /** React key. */
  id: string;
  /** Undefined while nothing is selected. */
  condition: Condition | undefined;
};

export type Card = {
  id: string;
  /** Operator that joins the card to the cards before it. */
  outerConjunction: Concat;
  drafts: ConditionDraft[];
};

let last = 0;
const nextId = () => `d${++last}`;

export const createDraft = (condition?: Condition): ConditionDraft => ({ id: nextId(), condition });

export const createCard = (
  outerConjunction: Concat = 'and',
  conditions: (Condition | undefined)[] = [],
): Card => ({
  id: nextId(),
  outerConjunction,
  drafts: (conditions.length > 0 ? conditions : [undefined]).map((condition) =>
    createDraft(condition),
  ),
});

/** Returns one card per group, in order of first appearance. */
export function toCards(conditions: readonly Condition[]): Card[] {
  const groups = new Map<number, Condition[]>();
  for (const condition of conditions) {
    const group = groups.get(condition.group);
    if (group) group.push(condition);
    else groups.set(condition.group, [condition]);
  }
  return [...groups.values()].map((group) => createCard(group[0]?.outside_concat ?? 'and', group));
}

/**
 * Returns the complete conditions, with groups numbered from 1 in the order of the cards.
 * Incomplete conditions are left out.
 */
export function toConditions(cards: readonly Card[]): Condition[] {
  return cards
    .map((card) => ({ ...card, drafts: card.drafts.filter(isComplete) }))
    .filter((card) => card.drafts.length > 0)
    .flatMap((card, index) =>
      card.drafts.map(({ condition }) => ({
        ...condition,
        group: index + 1,
        outside_concat: card.outerConjunction,
      })),
    );
}

/** Returns whether the condition is valid by the grammar and has a text if it needs one. */
export function isComplete(
  draft: ConditionDraft,
): draft is ConditionDraft & { condition: Condition } {
  const { condition } = draft;
  if (!condition || readConditions([condition]).droppedCount > 0) return false;
  const kind = getOperandKind(condition.type, condition.operator);
  return !((kind === 'text' || kind === 'texts') && condition.operand === '');
}

/**
 * Creates a condition of another type. The operator remains if the type supports it; otherwise the
 * type's default operator is set. The operand remains only if the operator remains and takes the
 * same kind of operand for both types.
 */
export function changeType(
  type: Condition['type'],
  key: string,
  before: Condition | undefined,
  conjunction: Concat,
): Condition {
  const operators = listOperators(type);
  const retainedOperator =
    before && operators.includes(before.operator) ? before.operator : undefined;
  const operator = retainedOperator ?? operators[0] ?? 'equals';
  const isSameKind =
    before !== undefined &&
    retainedOperator !== undefined &&
    getOperandKind(before.type, before.operator) === getOperandKind(type, operator);
  return {
    type,
    key,
    operator,
    operand: isSameKind ? before.operand : '',
    more: isSameKind ? before.more : [],
    group: 1,
    outside_concat: 'and',
    inside_concat: before?.inside_concat ?? conjunction,
  };
}

/**
 * Changes the operator. All values remain if both operators take the same kind of operand. If one
 * takes a single value and the other a range or list of such values, only the first value remains.
 */
export function changeOperator(condition: Condition, operator: Operator): Condition {
  const before = getOperandKind(condition.type, condition.operator);
  const after = getOperandKind(condition.type, operator);
  if (before === after) return { ...condition, operator };
  const singleKinds = {
    number_range: 'number',
    date_range: 'date',
    statuses: 'status',
    texts: 'text',
  };
  const isNear = (kind?: string, otherKind?: string) =>
    singleKinds[kind as keyof typeof singleKinds] === otherKind;
  if (isNear(after, before)) return { ...condition, operator, more: [] };
  if (isNear(before, after)) return { ...condition, operator, more: [] };
  return { ...condition, operator, operand: '', more: [] };
}

/** Returns the conjunction of a card's conditions, or undefined if they mix `and` and `or`. */
export function getConjunction(card: Card): Concat | undefined {
  const conjunctions = new Set(card.drafts.slice(1).map((draft) => draft.condition?.inside_concat));
  conjunctions.delete(undefined);
  if (conjunctions.size > 1) return undefined;
  return [...conjunctions][0] ?? card.drafts[0]?.condition?.inside_concat ?? 'and';
}

export function changeConjunction(card: Card, conjunction: Concat): Card {
  return {
    ...card,
    drafts: card.drafts.map((draft) =>
      draft.condition
        ? { ...draft, condition: { ...draft.condition, inside_concat: conjunction } }
        : draft,
    ),
  };
}
