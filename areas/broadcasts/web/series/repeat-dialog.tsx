// The dialog that sets a repetition: its rule, and the next days of this rule.
import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { invalidate, storeAnswer } from '#platform/web/api/queries.ts';
import { showError } from '#platform/web/errors/errors.ts';
import { notice } from '#platform/web/errors/notices.tsx';
import { useSession } from '#platform/web/session/session.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Dialog, FormButtons } from '#platform/web/ui/form-dialog.tsx';
import type { Series } from '../../planning-contract.ts';
import { nextOccurrence, type Occurrence, type SeriesPlan } from '../../series-rule.ts';
import { proposedWall, instantToWallTime } from '../../wall-time.ts';
import { type Broadcast, type BroadcastUi, affectedQueries } from '../ui.ts';
import { type RuleForm, RuleFields, ruleOf } from './rule-fields.tsx';
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
  const [form, setForm] = useState(() => formOf(campaign.series, zone));
  const isWhole = form.starts_on !== '' && (form.every === 'month' || form.weekdays.length > 0);
  const rule = ruleOf(form);
  const dates = isWhole ? nextDates(planOf(form, zone)) : [];
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
          set={(change) => setForm((before) => ({ ...before, ...change }))}
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
      const saved = await planningApi(ui.base)('PUT /client-api/api/campaigns/{id}/series', {
        params: { id: campaign.id },
        body: {
          rule: ruleOf(form),
          starts_on: form.starts_on,
          ends_on: form.ends_on || null,
          is_only_new: form.is_only_new,
          revision: campaign.revision,
        },
      });
      storeAnswer(`${ui.base}/${campaign.id}`, saved);
      notice(t('series.saved', { rule: sentence(ruleOf(form)) }));
      close();
    } catch (error) {
      showError(error);
    } finally {
      setBusy(false);
      await invalidate(...affectedQueries(ui, campaign.id), '/client-api/api/calendar');
    }
  };
  return { isBusy, save };
}

function planOf(form: RuleForm, zone: string): SeriesPlan {
  const { starts_on, ends_on } = form;
  return { rule: ruleOf(form), zone, starts_on, ends_on: ends_on || null };
}

function nextDates(plan: SeriesPlan): Occurrence[] {
  const dates: Occurrence[] = [];
  for (let next = nextOccurrence(plan, new Date()); next && dates.length < SHOWN_DAYS; ) {
    dates.push(next);
    next = nextOccurrence(plan, next.at);
  }
  return dates;
}

/** The current rule, or weekly on today's weekday, about a quarter of an hour from now. */
function formOf(series: Series | null, zone: string): RuleForm {
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
    time: proposedWall(now, zone).slice(11, 16),
    starts_on: today,
    ends_on: '',
    is_only_new: false,
  };
  if (series === null) return base;
  const { rule, starts_on, ends_on, is_only_new } = series;
  const { every, interval, time } = rule;
  const shared = { ...base, every, interval, time, starts_on, ends_on: ends_on ?? '', is_only_new };
  if (rule.every === 'week') return { ...shared, weekdays: rule.weekdays };
  if (rule.on.kind === 'day') return { ...shared, day: rule.on.day };
  if (rule.on.kind === 'last_day') return { ...shared, monthKind: 'last_day' };
  return { ...shared, monthKind: 'weekday', nth: rule.on.nth, weekday: rule.on.weekday };
}
