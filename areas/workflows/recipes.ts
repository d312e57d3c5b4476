// Recipes: the trigger and the tree of each predefined workflow. The gallery draws them, and the
// server creates workflows from them. Their email copy is in server/recipes/.
import type { EmailActivity, Trigger, DelayUnit } from './shared.ts';

export type RecipeStep =
  | { type: 'EMAIL'; email: string }
  | { type: 'delay'; amount: number; unit: DelayUnit }
  /** Waits for engagement with that email, with `amount` and `unit` as the time-out. */
  | { type: 'until'; email: string; activity: EmailActivity; amount: number; unit: DelayUnit }
  | { type: 'asks'; email: string; activity: EmailActivity; yes: RecipeStep[]; no: RecipeStep[] }
  | { type: 'matches'; condition: RecipeCondition; yes: RecipeStep[]; no: RecipeStep[] }
  | { type: 'UNSUBSCRIBE' };

export type RecipeCondition = { type: string; operator: string; operand: string | number };

export type Recipe = {
  id: string;
  trigger: Trigger;
  /** SEGMENT_ENTER: condition of the segment, which is created with the workflow. */
  segment?: RecipeCondition;
  /** ANNIVERSARY: time of day. */
  time?: string;
  /**
   * Minimum days between two entries of a subscriber; if unset, they may enter again after
   * finishing.
   */
  reentryDays?: number;
  /** True if the trigger or the audience requires a connected store. */
  needsStore: boolean;
  steps: RecipeStep[];
};

const email = (name: string): RecipeStep => ({ type: 'EMAIL', email: name });
const delay = (amount: number, unit: DelayUnit): RecipeStep => ({ type: 'delay', amount, unit });
const ifOpened = (name: string, yes: RecipeStep[], no: RecipeStep[]): RecipeStep => ({
  ...{ type: 'asks', email: name, activity: 'opened', yes, no },
});
const ifMatches = (
  condition: RecipeCondition,
  yes: RecipeStep[],
  no: RecipeStep[] = [],
): RecipeStep => ({ type: 'matches', condition, yes, no });

const HAS_CART = { type: 'cart_product_count', operator: 'more-than', operand: 0 };
const boughtInWeeks = (operand: number) => ({ type: 'placed_order', operator: 'weeks', operand });

export const RECIPES: readonly Recipe[] = [
  {
    id: 'welcome',
    trigger: 'FORM_SUBMIT',
    needsStore: false,
    steps: [
      email('welcome'),
      delay(3, 'DAYS'),
      ifOpened('welcome', [email('welcomeNext')], [email('welcomeAgain')]),
    ],
  },
  {
    id: 'cart',
    trigger: 'CART_ABANDONED',
    needsStore: true,
    steps: [email('cart'), delay(1, 'DAYS'), ifMatches(HAS_CART, [email('cartLast')])],
  },
  {
    id: 'browse',
    trigger: 'PRODUCT_VIEWED',
    reentryDays: 14,
    needsStore: true,
    steps: [delay(1, 'DAYS'), ifMatches(boughtInWeeks(1), [], [email('browse')])],
  },
  {
    id: 'winback',
    trigger: 'SEGMENT_ENTER',
    segment: { type: 'not_active_customers', operator: 'months', operand: 3 },
    needsStore: true,
    steps: [
      email('winback'),
      delay(1, 'WEEKS'),
      ifMatches(boughtInWeeks(1), [], [email('winbackLast')]),
    ],
  },
  {
    id: 'birthday',
    trigger: 'ANNIVERSARY',
    time: '09:00',
    needsStore: false,
    steps: [
      email('birthday'),
      delay(3, 'DAYS'),
      ifOpened('birthday', [], [email('birthdayLater')]),
    ],
  },
  {
    id: 'purchase',
    trigger: 'ORDER_PLACED',
    needsStore: true,
    steps: [
      email('thanks'),
      delay(2, 'WEEKS'),
      email('review'),
      delay(2, 'WEEKS'),
      ifMatches(boughtInWeeks(4), [], [email('goesWell')]),
    ],
  },
  {
    id: 'reengagement',
    trigger: 'SEGMENT_ENTER',
    segment: { type: 'not_active_subscribers', operator: 'months', operand: 3 },
    needsStore: false,
    steps: [
      email('miss'),
      { type: 'until', email: 'miss', activity: 'opened', amount: 1, unit: 'WEEKS' },
      ifOpened('miss', [], [email('missLast')]),
    ],
  },
  {
    id: 'cleaning',
    trigger: 'SEGMENT_ENTER',
    segment: { type: 'not_active_subscribers', operator: 'months', operand: 6 },
    needsStore: false,
    steps: [
      email('ask'),
      { type: 'until', email: 'ask', activity: 'opened', amount: 2, unit: 'WEEKS' },
      ifOpened(
        'ask',
        [],
        [
          email('goodbye'),
          { type: 'until', email: 'goodbye', activity: 'opened', amount: 1, unit: 'WEEKS' },
          ifOpened('goodbye', [], [{ type: 'UNSUBSCRIBE' }]),
        ],
      ),
    ],
  },
];

export const RECIPE_IDS = RECIPES.map((recipe) => recipe.id);
