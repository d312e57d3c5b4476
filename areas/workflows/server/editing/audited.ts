// Workflows in the audit log: the name, the settings, and the number of changed steps by kind,
// without text that may name a subscriber.
import { toAuditedConditions } from '#areas/segments/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { auditedText } from '#platform/server/audit.ts';
import type { StepData } from '../../contract.ts';
import type { WorkflowSettings } from '../runs/active.ts';
import { stringifyCanonical, diffTrees, type StoredStep } from './tree-changes.ts';

/**
 * Settings that are logged: choices, numbers, times and ids, but no text, addresses or field
 * values.
 */
const RECORDED: ReadonlySet<string> = new Set([
  ...['triggerType', 'listId', 'fields', 'form', 'segment', 'event', 'store', 'product', 'field'],
  ...['offset_days', 'time', 'delay_type', 'amount', 'unit', 'date', 'resume_days', 'resume_time'],
  ...['zone', 'kind', 'activity', 'step_id', 'shares', 'winner_by', 'action', 'group'],
  ...['from_group', 'channel', 'ignores_guard', 'valid_hours'],
]);

export function describeSettings({ entry_conditions, goal, ...settings }: WorkflowSettings) {
  const { reentry, reentry_days, holdout, exits_by_filter, exits_unsubscribed } = settings;
  return {
    ...{ reentry, reentry_days, holdout, exits_by_filter, exits_unsubscribed },
    entry_conditions: toAuditedConditions(entry_conditions).conditions,
    goal: goal && {
      ...{ days: goal.days, ends: goal.ends },
      ...toAuditedConditions(goal.conditions),
    },
  };
}

/** Returns the logged values of a workflow: its name and the number of its steps by kind. */
export const describeDraft = (title: string, steps: readonly StoredStep[]) => ({
  title: auditedText(title),
  steps: countByType(steps),
});

/** Returns the number of steps by kind of change, and the values of steps with changed settings. */
export function describeChanges(from: readonly StoredStep[], to: readonly StoredStep[]) {
  const changes = diffTrees(from, to);
  const byChange = Map.groupBy(changes, ({ change }) => change);
  const counts = [...byChange].map(([change, steps]) => [
    change,
    countByType(steps.map(({ step }) => step)),
  ]);
  const before = settingsOfSteps(from);
  const after = settingsOfSteps(to);
  const [oldSteps, newSteps] = [differing(before, after), differing(after, before)];
  return {
    ...(oldSteps.length > 0 && { before: { steps: oldSteps } }),
    ...(changes.length > 0 && {
      after: { ...Object.fromEntries(counts), ...(newSteps.length > 0 && { steps: newSteps }) },
    }),
  };
}

const countByType = (steps: readonly StoredStep[]) =>
  Object.fromEntries(
    [...Map.groupBy(steps, ({ type }) => type)].map(([type, same]) => [type, same.length]),
  );

const settingsOfSteps = (steps: readonly StoredStep[]) =>
  new Map(steps.map((step) => [step.id, describeStep(step)]));

type AuditedStep = ReturnType<typeof describeStep>;

const differing = (
  steps: ReadonlyMap<number, AuditedStep>,
  counterparts: ReadonlyMap<number, AuditedStep>,
): AuditedStep[] =>
  [...steps]
    .filter(([id, step]) => stringifyCanonical(step) !== stringifyCanonical(counterparts.get(id)))
    .map(([, step]) => step);

function describeStep({ id, type, data }: StoredStep) {
  const { until, conditions, ...rest } = data as Partial<StepData['delay'] & StepData['CONDITION']>;
  return {
    ...{ id: encodeId('step', id), type, ...pickRecorded(rest) },
    ...(conditions && toAuditedConditions(conditions)),
    ...(until && {
      until: {
        ...pickRecorded(until),
        ...(until.conditions && toAuditedConditions(until.conditions)),
      },
    }),
  };
}

const pickRecorded = (values: object) =>
  Object.fromEntries(Object.entries(values).filter(([name]) => RECORDED.has(name)));
