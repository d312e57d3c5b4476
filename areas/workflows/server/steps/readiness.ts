// Finds the missing settings of a step, and the steps that prevent an activation.
import { findEventNames } from '#areas/events/server/index.ts';
import { readFields } from '#areas/fields/server/index.ts';
import { listFormTitles } from '#areas/forms/server/index.ts';
import { readGroupTitles } from '#areas/groups/server/index.ts';
import { findSegmentsAmong } from '#areas/segments/server/index.ts';
import { isSmsSender } from '#areas/sms/server/index.ts';
import { readProductTitles } from '#areas/stores/server/index.ts';
import { decodeId } from '#platform/ids.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { PRODUCT_TRIGGERS, STORE_TRIGGERS } from '../../shared.ts';
import { listConnectedStoreIds } from '../history.sql.ts';
import type { WorkflowStepRow } from './steps.sql.ts';
import { getStepData, type StepTree } from './tree.ts';

/**
 * Existing resources that the steps refer to. `phones` contains only senders available to the
 * account, and `fields` contains all fields of the account.
 */
export type KnownIds = {
  groups: ReadonlySet<number>;
  segments: ReadonlySet<number>;
  forms: ReadonlySet<number>;
  phones: ReadonlySet<number>;
  events: ReadonlySet<number>;
  dateFields: ReadonlySet<number>;
  /** Dates, and birthdays, which occur every year. */
  yearlyFields: ReadonlySet<number>;
  fields: ReadonlySet<number>;
  /** All connected stores; empty if no step has a store trigger. */
  stores: ReadonlySet<number>;
  products: ReadonlySet<number>;
};

export async function readKnown(
  db: Reader,
  accountId: number,
  steps: readonly WorkflowStepRow[],
): Promise<KnownIds> {
  const collectIds = (kind: ReferenceKind, ...names: string[]) =>
    steps.flatMap((step) => {
      const data = step.data as Record<string, string | undefined>;
      return names.flatMap((name) => decodeOptionalId(kind, data[name]) ?? []);
    });
  const groups = collectIds('group', 'listId', 'group', 'from_group');
  const segments = collectIds('segment', 'segment');
  const forms = collectIds('form', 'form');
  const events = collectIds('custom_event', 'event');
  const phones = [...new Set(collectIds('phone', 'phone'))];
  const fields = await readFields(db, accountId);
  const collectIdsOfType = (types: readonly string[]) =>
    new Set(fields.filter(({ type }) => types.includes(type)).map(({ id }) => id));
  const isOfStores = steps.some((step) =>
    STORE_TRIGGERS.has(getStepData(step, 'trigger').triggerType ?? ''),
  );
  const isActive = await Promise.all(phones.map((id) => isSmsSender(db, accountId, id)));
  return {
    groups: new Set(groups.length > 0 ? (await readGroupTitles(db, accountId, groups)).keys() : []),
    segments: new Set(await findSegmentsAmong(db, accountId, segments)),
    forms: new Set(forms.length > 0 ? (await listFormTitles(db, accountId, forms)).keys() : []),
    phones: new Set(phones.filter((_, at) => isActive[at])),
    events: new Set(events.length > 0 ? (await findEventNames(db, accountId, events)).keys() : []),
    stores: isOfStores ? await listConnectedStoreIds(db, accountId) : new Set(),
    products: new Set(
      (await readProductTitles(db, accountId, collectIds('product', 'product'))).keys(),
    ),
    fields: new Set(fields.map((field) => field.id)),
    dateFields: collectIdsOfType(['datetime']),
    yearlyFields: collectIdsOfType(['datetime', 'birthday']),
  };
}

type ReferenceKind =
  | 'store'
  | 'product'
  | 'group'
  | 'field'
  | 'step'
  | 'segment'
  | 'form'
  | 'phone'
  | 'custom_event';

export const decodeOptionalId = (kind: ReferenceKind, id: string | undefined) =>
  id === undefined ? undefined : decodeId(kind, id);

/** Lists missing or dangling settings of a step; empty if it is complete. */
export function listMissing(step: WorkflowStepRow, tree: StepTree, knownIds: KnownIds): string[] {
  switch (step.type) {
    case 'trigger':
      return listMissingOfTrigger(step, knownIds);
    case 'delay':
      return listMissingOfDelay(step, tree, knownIds);
    case 'CONDITION':
      return listMissingOfCondition(step, tree, knownIds);
    case 'ACTION':
      return listMissingOfAction(step, knownIds);
    case 'SMS': {
      const { phone, text } = getStepData(step, 'SMS');
      return [
        ...listIfMissing('phone', isAmong(knownIds.phones, 'phone', phone)),
        ...listIfMissing('text', Boolean(text?.trim())),
      ];
    }
    default: {
      const { subject, from_name: name, from_email: email } = getStepData(step, 'EMAIL');
      return [
        ...listIfMissing('subject', Boolean(subject)),
        ...listIfMissing('from_name', Boolean(name)),
        ...listIfMissing('from_email', Boolean(email)),
        ...listIfMissing('content', step.content_id !== null),
      ];
    }
  }
}

/** Returns whether a setting refers to a resource that exists. */
const isAmong = (ids: ReadonlySet<number>, kind: ReferenceKind, id: string | undefined) =>
  ids.has(decodeOptionalId(kind, id) ?? 0);

const listIfMissing = (name: string, isThere: boolean) => (isThere ? [] : [name]);

/** Returns true for a web URL that may be called; its host is checked at call time. */
function isCallable(url: string | undefined): boolean {
  if (!url || !URL.canParse(url)) return false;
  return ['http:', 'https:'].includes(new URL(url).protocol);
}

function listMissingOfAction(step: WorkflowStepRow, knownIds: KnownIds): string[] {
  const { action, group, from_group: from, field, message, url } = getStepData(step, 'ACTION');
  if (action === undefined) return ['action'];
  if (action === 'FIELD') return listIfMissing('field', isAmong(knownIds.fields, 'field', field));
  if (action === 'END' || action === 'UNSUBSCRIBE') return [];
  if (action === 'NOTIFY') return listIfMissing('message', Boolean(message));
  if (action === 'WEBHOOK') return listIfMissing('url', isCallable(url));
  return [
    ...listIfMissing('group', isAmong(knownIds.groups, 'group', group)),
    ...listIfMissing('from_group', action !== 'MOVE' || isAmong(knownIds.groups, 'group', from)),
  ];
}

function listMissingOfTrigger(step: WorkflowStepRow, knownIds: KnownIds): string[] {
  const { triggerType, ...data } = getStepData(step, 'trigger');
  switch (triggerType) {
    case undefined:
      return ['triggerType'];
    case 'LIST_ADD':
    case 'LIST_REMOVE':
      return listIfMissing('listId', isAmong(knownIds.groups, 'group', data.listId));
    case 'FIELD_UPDATE': {
      const { fields = [] } = data;
      const areKnown = fields.every((id) => isAmong(knownIds.fields, 'field', id));
      return listIfMissing('fields', areKnown);
    }
    case 'FORM_SUBMIT': {
      const isAny = data.form === undefined;
      return listIfMissing('form', isAny || isAmong(knownIds.forms, 'form', data.form));
    }
    case 'SEGMENT_ENTER':
      return listIfMissing('segment', isAmong(knownIds.segments, 'segment', data.segment));
    case 'DATE':
      return listIfMissing('field', isAmong(knownIds.dateFields, 'field', data.field));
    case 'ANNIVERSARY':
      return listIfMissing('field', isAmong(knownIds.yearlyFields, 'field', data.field));
    case 'EVENT':
      return listIfMissing('event', isAmong(knownIds.events, 'custom_event', data.event));
    case 'LINK_CLICK':
      return listIfMissing('url', Boolean(data.url?.trim()));
    default:
      return STORE_TRIGGERS.has(triggerType) ? listMissingOfStoreTrigger(step, knownIds) : [];
  }
}

/** A trigger of a store or a product needs a connected store. */
function listMissingOfStoreTrigger(step: WorkflowStepRow, knownIds: KnownIds): string[] {
  const { triggerType, store, product } = getStepData(step, 'trigger');
  if (knownIds.stores.size === 0) return ['store'];
  if (PRODUCT_TRIGGERS.has(triggerType ?? '')) {
    const isAny = triggerType === 'PRODUCT_VIEWED' && product === undefined;
    return listIfMissing('product', isAny || isAmong(knownIds.products, 'product', product));
  }
  return listIfMissing('store', store === undefined || isAmong(knownIds.stores, 'store', store));
}

function listMissingOfDelay(step: WorkflowStepRow, tree: StepTree, knownIds: KnownIds): string[] {
  const { delay_type: type, amount, date, field, unit, until } = getStepData(step, 'delay');
  if (type === undefined) return ['delay_type'];
  if (type === 'DATE') return listIfMissing('date', date !== undefined);
  if (type === 'FIELD')
    return listIfMissing('field', isAmong(knownIds.yearlyFields, 'field', field));
  const time = listIfMissing('amount', amount !== undefined);
  if (type !== 'UNTIL') return time;
  const limit = [...time, ...listIfMissing('unit', unit !== undefined)];
  if (until === undefined) return [...limit, 'until'];
  if (until.kind === 'conditions')
    return [...limit, ...listIfMissing('until', (until.conditions ?? []).length > 0)];
  const isSet = until.activity !== undefined && isMessageAbove(step, tree, until.step_id);
  return [...limit, ...listIfMissing('until', isSet)];
}

function listMissingOfCondition(
  step: WorkflowStepRow,
  tree: StepTree,
  knownIds: KnownIds,
): string[] {
  const data = getStepData(step, 'CONDITION');
  const { kind, conditions = [], activity, step_id, shares = [], segment } = data;
  switch (kind) {
    case undefined:
      return ['kind'];
    case 'segment':
      return listIfMissing('conditions', conditions.length > 0);
    case 'saved':
      return listIfMissing('segment', isAmong(knownIds.segments, 'segment', segment));
    case 'split': {
      const shareTotal = shares.reduce((total, share) => total + share.share, 0);
      return [
        ...listIfMissing('shares', shares.length >= 2 && shareTotal === 100),
        ...listIfMissing('winner_by', canFindWinner(step, tree)),
      ];
    }
    default:
      return [
        ...listIfMissing('activity', activity !== undefined),
        ...listIfMissing('step_id', isMessageAbove(step, tree, step_id)),
        // A window needs both a number and a unit.
        ...listIfMissing('unit', (data.amount === undefined) === (data.unit === undefined)),
      ];
  }
}

/** A split by opens or clicks requires a message on each path with a share. SMS have no opens. */
function canFindWinner(step: WorkflowStepRow, tree: StepTree): boolean {
  const { winner_by: metric, shares = [] } = getStepData(step, 'CONDITION');
  if (metric === undefined || metric === 'goal') return true;
  return shares
    .filter(({ share }) => share > 0)
    .every(({ path }) => {
      const type = findFirstMessage(tree, step.id, path)?.type;
      return type === 'EMAIL' || (type === 'SMS' && metric === 'clicked');
    });
}

/** Returns the first message step on a path of a split. */
export function findFirstMessage(
  tree: StepTree,
  stepId: number,
  path: string,
): WorkflowStepRow | undefined {
  const child = tree.findChild(stepId, path);
  return child && tree.listBranch(child.id).find(({ type }) => type === 'EMAIL' || type === 'SMS');
}

function isMessageAbove(step: WorkflowStepRow, tree: StepTree, id: string | undefined): boolean {
  const above = tree.byId.get(decodeOptionalId('step', id) ?? 0);
  const isMessage = above?.type === 'EMAIL' || above?.type === 'SMS';
  return isMessage && !above.removed_at && tree.isBelow(step.id, above.id);
}

const ACTING_TYPES = new Set(['EMAIL', 'SMS', 'ACTION']);

/** Lists incomplete and missing steps, which prevent an activation. */
export function listMissingOfTree(
  tree: StepTree,
  knownIds: KnownIds,
): { code: string; stepId: number | null; fields: string[] }[] {
  const steps = tree.listOrdered();
  const hasActingStep = steps.some((step) => ACTING_TYPES.has(step.type));
  return [
    ...(hasActingStep ? [] : [{ code: 'no_step', stepId: null, fields: [] }]),
    ...steps.flatMap((step) => {
      const fields = listMissing(step, tree, knownIds);
      return fields.length > 0 ? [{ code: 'step_incomplete', stepId: step.id, fields }] : [];
    }),
  ];
}
