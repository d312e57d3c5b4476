// The dialog that sets a repetition: its rule, and the next days of this rule.
import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { invalidate, storeResponse } from '#platform/web/api/queries.ts';
import { showError } from '#platform/web/errors/errors.ts';
import { notice } from '#platform/web/errors/notices.tsx';
import { useSession } from '#platform/web/session/session.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Dialog, FormButtons } from '#platform/web/ui/form-dialog.tsx';
import type { Series } from '../../planning-contract.ts';
import { findNextOccurrence, type SeriesOccurrence, type SeriesPlan } from '../../series-rule.ts';
import { proposeWallTime, instantToWallTime } from '../../wall-time.ts';
import { type Broadcast, type BroadcastUi, listAffectedQueries } from '../ui.ts';
import { type RuleForm, RuleFields, toRule } from './rule-fields.tsx';
import { useRuleSentence } from './rule-sentence.ts';
import { planningApi } from './series-api.ts';

const SHOWN_DAYS = 3;

export interface RepeatDialogProps {
  ui: BroadcastUi;
  campaign: Broadcast;
  isOpen: boolean;
  close: () => void;
}

export default function RepeatDialog({ isOpen, ...props }: RepeatDialogProps) {
  const t = useTexts('broadcasts');
  return (
    <Dialog opened={isOpen} onClose={props.close} title={t('series.title')} size="lg">
      {isOpen && <RepeatForm {...props} />}
    </Dialog>
  );
}

function RepeatForm({ ui, campaign, close }: Omit<RepeatDialogProps, 'isOpen'>) {
  const t = useTexts('broadcasts');
  const { dateTime } = useFormats();
  const sentence = useRuleSentence();
  const zone = useSession().account.timezone;
  const [form, setForm] = useState(() => toForm(campaign.series, zone));
  const isWhole = form.starts_on !== '' && (form.every === 'month' || form.weekdays.length > 0);
  const rule = toRule(form);
  const dates = isWhole ? nextDates(toPlan(form, zone)) : [];
  const { isBusy, save } = useSave({ ui, campaign, close }, form);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (dates.length > 0) void save();
      }}
    >
      <Stack gap="md">
        <RuleFields
          form={form}
          onChange={(change) => setForm((previous) => ({ ...previous, ...change }))}
          zone={zone}
        />
        <Text size="sm" aria-live="polite" c={dates.length > 0 || !isWhole ? undefined : 'danger'}>
          {dates.length > 0
            ? t('series.next', {
                rule: sentence(rule),
                days: dates.map(({ at }) => dateTime(at, zone)).join(' · '),
              })
            : isWhole && t('series.noDays')}
        </Text>
        <FormButtons close={close} isBusy={isBusy}>
          {t(campaign.series ? 'series.save' : 'series.start')}
        </FormButtons>
      </Stack>
    </form>
  );
}

/** Starts or changes the series. */
function useSave({ ui, campaign, close }: Omit<RepeatDialogProps, 'isOpen'>, form: RuleForm) {
  const t = useTexts('broadcasts');
  const sentence = useRuleSentence();
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      const response = await planningApi(ui.base)('PUT /client-api/api/campaigns/{id}/series', {
        params: { id: campaign.id },
        body: {
          rule: toRule(form),
          starts_on: form.starts_on,
          ends_on: form.ends_on || null,
          is_only_new: form.is_only_new,
          revision: campaign.revision,
        },
      });
      storeResponse(`${ui.base}/${campaign.id}`, response);
      notice(t('series.saved', { rule: sentence(toRule(form)) }));
      close();
    } catch (error) {
      showError(error);
    } finally {
      setBusy(false);
      await invalidate(...listAffectedQueries(ui, campaign.id), '/client-api/api/calendar');
    }
  };
  return { isBusy, save };
}

function toPlan(form: RuleForm, zone: string): SeriesPlan {
  const { starts_on, ends_on } = form;
  return { rule: toRule(form), zone, starts_on, ends_on: ends_on || null };
}

function nextDates(plan: SeriesPlan): SeriesOccurrence[] {
  const dates: SeriesOccurrence[] = [];
  for (let next = findNextOccurrence(plan, new Date()); next && dates.length < SHOWN_DAYS; ) {
    dates.push(next);
    next = findNextOccurrence(plan, next.at);
  }
  return dates;
}

/**
 * Returns the current rule. The default is weekly on today's weekday, about a quarter of an hour
 * from now.
 */
function toForm(series: Series | null, zone: string): RuleForm {
  const now = new Date();
  const today = instantToWallTime(now, zone).slice(0, 10);
  const weekday = new Date(`${today}T00:00:00Z`).getUTCDay() || 7;
  const base: RuleForm = {
    every: 'week',
    interval: 1,
    weekdays: [weekday],
    monthKind: 'day',
    day: Number(today.slice(8)),
    nth: 1,
    weekday,
    time: proposeWallTime(now, zone).slice(11, 16),
    starts_on: today,
    ends_on: '',
    is_only_new: false,
  };
  if (series === null) return base;
  const { rule, starts_on, ends_on, is_only_new } = series;
  const { every, interval, time } = rule;
  const baseForm = {
    ...base,
    every,
    interval,
    time,
    starts_on,
    ends_on: ends_on ?? '',
    is_only_new,
  };
  if (rule.every === 'week') return { ...baseForm, weekdays: rule.weekdays };
  if (rule.on.kind === 'day') return { ...baseForm, day: rule.on.day };
  if (rule.on.kind === 'last_day') return { ...baseForm, monthKind: 'last_day' };
  return { ...baseForm, monthKind: 'weekday', nth: rule.on.nth, weekday: rule.on.weekday };
}
