// Creates a workflow from a recipe: a draft with its trigger, steps and emails.
import { readAccount, readMember } from '#areas/accounts/server/index.ts';
import type { OwnPick } from '#areas/content/shop-names.ts';
import { createReadyDocument, type ReadyScene, saveContent } from '#areas/content/server/index.ts';
import { readFields } from '#areas/fields/server/index.ts';
import { condition } from '#areas/segments/filter-grammar.ts';
import type { ConditionType } from '#areas/segments/shared.ts';
import { ensureSegment } from '#areas/segments/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { isLanguage, type Language } from '#platform/languages.ts';
import { recordChange } from '#platform/server/audit.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { notFound } from '#platform/server/errors.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import type { Workflow } from '../../contract.ts';
import { type Recipe, type RecipeCondition, RECIPES, type RecipeStep } from '../../recipes.ts';
import { describeDraft } from '../editing/audited.ts';
import { saveVersion, type StepEditor } from '../editing/steps.ts';
import { insertStep } from '../steps/steps.sql.ts';
import { insertDraft, readWorkflow } from '../workflows.ts';
import { type EmailKey, getRecipeTexts, type SegmentKey } from './recipe-texts.ts';

const SCENES: Record<EmailKey, ReadyScene> = {
  welcome: 'doors',
  welcomeAgain: 'doors',
  welcomeNext: 'talk',
  cart: 'cart',
  cartLast: 'cart',
  browse: 'shelf',
  winback: 'shelf',
  winbackLast: 'shelf',
  birthday: 'cake',
  birthdayLater: 'cake',
  thanks: 'gift',
  review: 'stars',
  goesWell: 'shelf',
  miss: 'sea',
  missLast: 'sea',
  ask: 'sea',
  goodbye: 'sea',
};

/** Product selection shown by each email of the store recipes. */
const PICKS: Partial<Record<EmailKey, OwnPick>> = {
  cart: 'cart',
  cartLast: 'cart',
  browse: 'viewed',
  winback: 'recommended',
  winbackLast: 'recommended',
  thanks: 'ordered',
  review: 'ordered',
  goesWell: 'recommended',
};

type RecipeContext = {
  tx: Tx;
  caller: StepEditor;
  workflowId: number;
  language: Language;
  from: { name: string; email: string };
  /** EMAIL steps created so far, by the name of their content. */
  emails: Map<string, string>;
};

/** Errors: `not_found`, `too_many_workflows`, `too_many_segments`. */
export async function createFromRecipe(
  tx: Tx,
  caller: StepEditor,
  recipeId: string,
  title: string,
): Promise<Workflow> {
  const { accountId } = caller;
  const recipe = RECIPES.find((recipe) => recipe.id === recipeId);
  if (!recipe) throw notFound();
  const account = await readAccount(tx, accountId);
  const user = await readMember(tx, accountId, caller.userId);
  const language = isLanguage(account.language) ? account.language : 'eng';
  const { reentryDays } = recipe;
  const settings =
    reentryDays === undefined
      ? {}
      : { settings: JSON.stringify({ reentry: 'days', reentry_days: reentryDays }) };
  const workflowId = await insertDraft(tx, caller, { title, ...settings });
  const sender = { name: account.title, email: user?.email ?? '' };
  const context = {
    tx,
    caller,
    workflowId,
    language,
    from: sender,
    emails: new Map<string, string>(),
  };
  const trigger = await add(context, null, 'TRUE', {
    type: 'trigger',
    data: await createTrigger(context, recipe),
  });
  await addSteps(context, trigger, 'TRUE', recipe.steps);
  const version = await saveVersion(tx, caller, workflowId, 1);
  recordChange({ after: { ...describeDraft(title, version), recipe: recipeId } });
  sendChangeHint(tx, accountId, 'workflow', workflowId);
  return readWorkflow(tx, accountId, workflowId);
}

async function createTrigger({ tx, caller, language }: RecipeContext, recipe: Recipe) {
  const { trigger: triggerType, segment, time } = recipe;
  if (segment) {
    const title = getRecipeTexts(language).segments[recipe.id as SegmentKey];
    const id = await ensureSegment(tx, caller, title, [toCondition(segment)]);
    return { triggerType, segment: encodeId('segment', id) };
  }
  if (triggerType !== 'ANNIVERSARY') return { triggerType };
  // A field is chosen only if there is no alternative: the account's only birthday field or, in an
  // account without birthday fields, its only date field.
  const fields = await readFields(tx, caller.accountId);
  const birthdays = fields.filter((field) => field.type === 'birthday');
  const dates = fields.filter((field) => field.type === 'datetime');
  const choices = birthdays.length > 0 ? birthdays : dates;
  const [only] = choices.length === 1 ? choices : [];
  return { triggerType, time, ...(only && { field: encodeId('field', only.id) }) };
}

const toCondition = ({ type, operator, operand }: RecipeCondition) =>
  condition(type as ConditionType, operator as 'have', String(operand));

async function addSteps(
  context: RecipeContext,
  above: number,
  path: string,
  steps: readonly RecipeStep[],
): Promise<void> {
  let parent = above;
  let branchPath = path;
  for (const step of steps) {
    parent = await add(context, parent, branchPath, await createNewStep(context, step));
    branchPath = 'TRUE';
    if (step.type !== 'asks' && step.type !== 'matches') continue;
    await addSteps(context, parent, 'TRUE', step.yes);
    await addSteps(context, parent, 'FALSE', step.no);
  }
}

type NewStep = { type: string; data: Record<string, unknown>; email?: string };

async function createNewStep(context: RecipeContext, step: RecipeStep): Promise<NewStep> {
  const findEmail = (name: string) => context.emails.get(name);
  switch (step.type) {
    case 'EMAIL': {
      const { name, email } = context.from;
      const [subject, preheader] = getEmailTexts(context, step.email);
      const sender = { ...(name && { from_name: name }), ...(email && { from_email: email }) };
      return { type: 'EMAIL', data: { subject, preheader, ...sender }, email: step.email };
    }
    case 'delay':
      return { type: 'delay', data: { delay_type: step.unit, amount: step.amount } };
    case 'until': {
      const { amount, unit, activity } = step;
      const until = { kind: 'activity', activity, step_id: findEmail(step.email) };
      return { type: 'delay', data: { delay_type: 'UNTIL', amount, unit, until } };
    }
    case 'asks': {
      const { activity } = step;
      const data = { kind: 'activity', activity, step_id: findEmail(step.email) };
      return { type: 'CONDITION', data };
    }
    case 'matches': {
      const conditions = [toCondition(step.condition)];
      return { type: 'CONDITION', data: { kind: 'segment', conditions } };
    }
    default:
      return { type: 'ACTION', data: { action: step.type } };
  }
}

const getEmailTexts = ({ language }: RecipeContext, email: string): string[] =>
  getRecipeTexts(language).emails[email as EmailKey];

async function add(
  context: RecipeContext,
  parentId: number | null,
  path: string,
  { type, data, email }: NewStep,
): Promise<number> {
  const { tx, caller, workflowId } = context;
  const position = { workflow_id: workflowId, parent_id: parentId, condition_path: path };
  const row = { ...position, type, data: JSON.stringify(data) };
  const content = email === undefined ? {} : await writeContent(context, email as EmailKey);
  const id = await insertStep(tx, caller.accountId, { ...row, ...content }, clock.now());
  if (email !== undefined) context.emails.set(email, encodeId('step', id));
  return id;
}

async function writeContent(context: RecipeContext, email: EmailKey) {
  const { tx, caller, language } = context;
  const [, , heading = '', first = '', second = '', button = ''] = getEmailTexts(context, email);
  const body = [getRecipeTexts(language).hello, first, second];
  const pick = PICKS[email];
  const documentTexts = { scene: SCENES[email], heading, body, button, ...(pick && { pick }) };
  const document = await createReadyDocument(tx, caller.accountId, documentTexts);
  const content = { kind: 'editor' as const, document, html: null, plain_text: null };
  const { content_id, revision } = await saveContent(
    tx,
    caller.accountId,
    null,
    content,
    caller.userId,
  );
  return { content_id, content_revision: revision, content_kind: 'editor' };
}
