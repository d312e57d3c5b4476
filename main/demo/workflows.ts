// The demo's workflows: created from recipes and activated, with two years of runs, some still in
// progress.
import { compileMessage, createMessageSource } from '#areas/content/server/index.ts';
import { getStepEmail } from '#areas/workflows/server/editing/email.ts';
import { createFromRecipe } from '#areas/workflows/server/recipes/create-from-recipe.ts';
import { readSteps } from '#areas/workflows/server/steps/steps.sql.ts';
import { StepTree } from '#areas/workflows/server/steps/tree.ts';
import { activateWorkflow } from '#areas/workflows/server/workflows.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { insertFinishedMessage } from './campaigns.sql.ts';
import type { DemoHistory } from './history.sql.ts';
import { walkJourneys, type WalkStep } from './journeys.ts';
import { SENDER } from './source.ts';
import * as store from './workflows.sql.ts';

const WORKFLOWS = [
  { recipe: 'welcome', by: 'form' },
  { recipe: 'cart', by: 'cart' },
  { recipe: 'purchase', by: 'order' },
] as const;

export type DemoWorkflow = {
  id: number;
  tree: StepTree;
  messages: Messages;
  by: (typeof WORKFLOWS)[number]['by'];
};

/**
 * Creates the workflows as drafts, with one message per EMAIL step. It must run before the large
 * statements of the transaction: rendering a document rolls the transaction back and repeats all
 * statements up to that point.
 */
export async function createWorkflows(
  tx: Tx,
  history: DemoHistory,
  publicUrl: string,
): Promise<DemoWorkflow[]> {
  const workflows: DemoWorkflow[] = [];
  for (const { recipe, by } of WORKFLOWS) {
    const title = history.texts.workflows[recipe];
    const workflow = await createFromRecipe(tx, history, recipe, title);
    const id = decodeId('workflow', workflow.id) as number;
    await store.setSender(tx, history, id, SENDER);
    const tree = new StepTree(await readSteps(tx, history.accountId, [id]));
    workflows.push({ id, tree, messages: await insertMessages(tx, history, tree, publicUrl), by });
  }
  return workflows;
}

/**
 * Inserts two years of runs of the workflows, adds the emails of these runs to `demo_sent`, and
 * activates the workflows.
 */
export async function fillWorkflows(
  tx: Tx,
  history: DemoHistory,
  workflows: readonly DemoWorkflow[],
): Promise<void> {
  for (const { id, tree, messages, by } of workflows) {
    const entrants = await store.readEntrants(tx, history, by);
    const journeys = walkJourneys(
      walkStepOf(tree, tree.trigger.id, messages),
      entrants,
      history.now,
    );
    await store.insertJourneys(tx, history, id, journeys.journeys);
    await store.insertStepCounts(tx, history, id, journeys.counts);
    for (const [stepId, emails] of Map.groupBy(journeys.emails, (email) => email.stepId)) {
      const message = messages.get(stepId);
      if (message) await store.addStepEmails(tx, message, emails);
    }
    await activateWorkflow(tx, history.accountId, id);
    await store.settleWorkflow(tx, history, id);
  }
}

type Messages = ReadonlyMap<number, { messageId: number; links: number }>;

/** Inserts one message per EMAIL step, with the content that the product would send. */
async function insertMessages(
  tx: Tx,
  history: DemoHistory,
  tree: StepTree,
  publicUrl: string,
): Promise<Messages> {
  const messages = new Map<number, { messageId: number; links: number }>();
  const sentAt = new Date(history.now.getTime() - 730 * 86_400_000);
  const options = { publicUrl, unsubscribeMailbox: undefined, needsVerifiedSender: false };
  for (const step of tree.listOrdered().filter(({ type }) => type === 'EMAIL')) {
    const source = await createMessageSource(tx, getStepEmail(step), options);
    const row = { kind: 'workflow', channel: 'email', sourceId: step.id, sentAt } as const;
    const message = await insertFinishedMessage(tx, history, row, (messageId) => ({
      frozen: { source, fields: history.mergeFields },
      links: compileMessage({ ...source, message_id: messageId }).links,
    }));
    messages.set(step.id, message);
  }
  return messages;
}

function walkStepOf(tree: StepTree, id: number, messages: Messages): WalkStep {
  const { type, data } = tree.byId.get(id) as { type: string; data: unknown };
  return {
    id,
    key: encodeId('step', id),
    type,
    data: data as Record<string, unknown>,
    messageId: messages.get(id)?.messageId,
    next: new Map(
      tree
        .listChildren(id)
        .map((child) => [child.condition_path, walkStepOf(tree, child.id, messages)]),
    ),
  };
}
