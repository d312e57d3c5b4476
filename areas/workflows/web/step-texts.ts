// Labels and summaries of steps.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { queryAllEvents } from '../../events/web/index.ts';
import { queryAllFields } from '../../fields/web/index.ts';
import { listFormsQuery } from '../../forms/web/index.ts';
import { queryAllGroups } from '../../groups/web/index.ts';
import { queryAllSegments } from '../../segments/web/index.ts';
import type { WorkflowStep } from '../contract.ts';
import { PRODUCT_TRIGGERS, STORE_TRIGGERS } from '../shared.ts';
import { getStepData, getStepKind } from './paths.ts';
import { useStores } from './stores.ts';
import { useBuilder } from './use-builder.ts';

/** Returns titles of resources that steps refer to by id. */
function useTitles(): ReadonlyMap<string, string> {
  const groups = useQuery(queryAllGroups()).data?.data;
  const fields = useQuery(queryAllFields()).data?.data;
  const forms = useQuery(listFormsQuery()).data?.data;
  const segments = useQuery(queryAllSegments()).data?.data;
  const events = useQuery(queryAllEvents()).data?.data;
  const shop = useStores().data?.data;
  return useMemo(() => {
    const eventTitles = (events ?? []).map(({ id, name }) => [id, name] as const);
    const listTitles = (resources: readonly { id: string; title: string }[] = []) =>
      resources.map(({ id, title }) => [id, title] as const);
    return new Map([
      ...listTitles(groups),
      ...listTitles(fields),
      ...listTitles(forms),
      ...listTitles(segments),
      ...listTitles(shop?.stores),
      ...listTitles(shop?.products),
      ...eventTitles,
    ]);
  }, [groups, fields, forms, segments, events, shop]);
}

export function useStepTexts() {
  const t = useTexts('workflows');
  const { percent } = useFormats();
  const titles = useTitles();
  const titleOf: TitleOf = (id) => (id && titles.get(id)) || '…';

  const getStepName = (step: WorkflowStep): string => {
    const { title } = step.data as { title?: string };
    if (title) return title;
    const { triggerType } = getStepData(step, 'trigger');
    if (step.type === 'trigger' && triggerType) return t(`trigger.${triggerType}`);
    const { action } = getStepData(step, 'ACTION');
    if (step.type === 'ACTION' && action) return t(`action.${action}`);
    return t(`step.${getStepKind(step)}`);
  };

  const getPathLabel = (step: WorkflowStep, path: string): string => {
    const share = getStepData(step, 'CONDITION').shares?.find(
      (share) => share.path === path,
    )?.share;
    if (step.data.kind !== 'split') return t(`path.${path}`);
    return share === undefined ? path : `${path} · ${percent(share / 100)}`;
  };

  const summaries = useSummaries(getStepName, titleOf);
  return {
    getStepName,
    getPathLabel,
    getStepSummary: (step: WorkflowStep) => summaries[step.type]?.(step) ?? '',
  };
}

/** Returns the values of a step before and after a change: "Delay: 3 minutes → 1 minute". */
export function useChangeText(): (before: WorkflowStep, after: WorkflowStep) => string {
  const t = useTexts('workflows');
  const { getStepName, getStepSummary } = useStepTexts();
  return (before, after) => {
    const name = getStepName(after);
    const [from, to] = [getStepSummary(before), getStepSummary(after)];
    if (from === to || from === '' || to === '') return t('versions.changed', { name });
    return t('edits.values', { name, from: `\u2068${from}\u2069`, to: `\u2068${to}\u2069` });
  };
}

type TitleOf = (id: string | undefined) => string;

/** Returns the summary of a step beside its title, by type. */
function useSummaries(
  getStepName: (step: WorkflowStep) => string,
  titleOf: TitleOf,
): Record<string, (step: WorkflowStep) => string> {
  const t = useTexts('workflows');
  const { number, percent } = useFormats();
  const { workflow } = useBuilder();
  return {
    trigger: useTriggerSummary(titleOf),
    EMAIL: (step) => getStepData(step, 'EMAIL').subject || t('email.noSubject'),
    SMS: (step) => (step.data.text as string | undefined) || t('sms.noText'),
    delay: (step) => {
      const { delay_type: type, amount, date, field } = getStepData(step, 'delay');
      if (type === undefined) return '';
      if (type === 'DATE') return date?.slice(0, 16) ?? '';
      if (type === 'FIELD') return t('delayForm.untilField', { name: titleOf(field) });
      return t(`delaySummary.${type}`, { count: amount ?? 0, number: number(amount ?? 0) });
    },
    CONDITION: (step) => {
      const {
        kind,
        activity,
        step_id: targetStepId,
        conditions = [],
        segment,
        shares = [],
      } = getStepData(step, 'CONDITION');
      if (kind === 'split')
        return shares.map(({ path, share }) => `${path} ${percent(share / 100)}`).join(' · ');
      if (kind === 'activity' && activity) {
        const email = workflow.steps.find((step) => step.id === targetStepId);
        const subject = email && getStepData(email, 'EMAIL').subject;
        return t(`activitySummary.${activity}`, {
          name: subject || (email ? getStepName(email) : '…'),
        });
      }
      if (kind === 'saved') return titleOf(segment);
      if (kind === 'segment') return t('conditionForm.count', { count: conditions.length });
      return '';
    },
    ACTION: (step) => {
      const { action, group, from_group: from, field, value } = getStepData(step, 'ACTION');
      if (action === 'MOVE')
        return t('actionForm.moved', { from: titleOf(from), to: titleOf(group) });
      if (action === 'COPY' || action === 'REMOVE') return titleOf(group);
      if (action === 'FIELD') return `${titleOf(field)}: ${value ?? '–'}`;
      return action ? t(`actionHint.${action}`) : '';
    },
  };
}

function useTriggerSummary(titleOf: TitleOf): (step: WorkflowStep) => string {
  const t = useTexts('workflows');
  const { list } = useFormats();
  return (step) => {
    const {
      triggerType,
      listId,
      fields = [],
      form,
      segment,
      field,
      url,
      event,
      store,
      product,
    } = getStepData(step, 'trigger');
    if (triggerType === undefined) return t('builder.chooseTrigger');
    if (triggerType === 'LIST_ADD' || triggerType === 'LIST_REMOVE') return titleOf(listId);
    if (triggerType === 'FIELD_UPDATE')
      return fields.length > 0 ? list(fields.map(titleOf)) : t('triggerForm.anyField');
    if (triggerType === 'FORM_SUBMIT') return form ? titleOf(form) : t('triggerForm.anyForm');
    if (triggerType === 'SEGMENT_ENTER') return titleOf(segment);
    if (triggerType === 'DATE' || triggerType === 'ANNIVERSARY') return titleOf(field);
    if (triggerType === 'EVENT') return titleOf(event);
    if (PRODUCT_TRIGGERS.has(triggerType))
      return product ? titleOf(product) : t('triggerForm.anyProduct');
    if (STORE_TRIGGERS.has(triggerType)) return store ? titleOf(store) : t('triggerForm.anyStore');
    if (triggerType === 'LINK_CLICK') return url ?? '…';
    return t(`triggerHint.${triggerType}`);
  };
}
