// The form of the schedule dialog, loaded when the dialog opens: a month, a time in quarter-hours
// in the account's zone, the timing of the campaign, and the resulting instants in words.
import { Button, Divider, Group, Text } from '@mantine/core';
import { DatePicker } from '@mantine/dates';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { ApiError, client } from '#platform/web/api/api.ts';
import { showError } from '#platform/web/errors/errors.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { usePersianCalendar } from '#platform/web/texts/persian-calendar.ts';
import { invalidate, storeResponse } from '#platform/web/api/queries.ts';
import { useSession } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { PersianDay } from '#platform/web/ui/persian-day.tsx';
import { SearchableSelect } from '#platform/web/ui/searchable-select.tsx';
import { useIdempotencyKey } from '#platform/web/hooks/use-key-of.ts';
import {
  wallTimeToInstant,
  proposeWallTime,
  STEP_MINUTES,
  instantToWallTime,
} from '../wall-time.ts';
import { formatDayLabel, formatMonth, useDayLocale } from './day-locale.ts';
import classes from './schedule-dialog.module.css';
import type { BroadcastTiming, TimingPreview, windowCalls } from '../timing-contract.ts';
import { TimingFields, TimingSentence } from './timing-fields.tsx';
import { type Broadcast, type BroadcastUi, listAffectedQueries } from './ui.ts';

export interface ScheduleFormProps {
  ui: BroadcastUi;
  campaign: Broadcast;
  recipientCount: number;
  close: () => void;
  onDone: () => void;
}

/** Returns the current time, updated while the dialog is open. */
function useNow(): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

const TIMES = Array.from({ length: (24 * 60) / STEP_MINUTES }, (_, step) => {
  const minutes = step * STEP_MINUTES;
  return [Math.floor(minutes / 60), minutes % 60]
    .map((slot) => String(slot).padStart(2, '0'))
    .join(':');
});

export default function ScheduleForm(props: ScheduleFormProps) {
  const { ui, campaign, recipientCount, close } = props;
  const t = useTexts('broadcasts');
  const { dateTime, number } = useFormats();
  const zone = useSession().account.timezone;
  const now = useNow();
  const [proposed] = useState(() => proposeWallTime(now, zone));
  const [day, setDay] = useState(proposed.slice(0, 10));
  const [time, setTime] = useState(proposed.slice(11, 16));
  const wallTime = `${day} ${time}:00`;
  const instant = wallTimeToInstant(wallTime, zone) ?? now;
  const [timing, setTiming] = useState(campaign.timing);
  const [isDefault, setDefault] = useState(false);
  const isOwn = timing.when !== 'time';
  // With own times, the time may still be in the future in other zones; the server refuses times
  // that have passed everywhere.
  const isPast = !isOwn && instant.getTime() <= now.getTime();
  const preview = useTimingPreview(ui, campaign.id, timing, wallTime);
  const isMoved = instantToWallTime(instant, zone) !== wallTime;
  const { isBusy, schedule } = useScheduling(props, timing, isDefault);
  const isUsual = isPlain(timing, preview);
  const counts = { count: recipientCount, total: number(recipientCount) };
  return (
    <div className={classes.form}>
      <div className={classes.columns}>
        <div className={classes.day}>
          <DayChoice day={day} setDay={setDay} today={instantToWallTime(now, zone).slice(0, 10)} />
          {timing.when !== 'best_hour' && (
            <TimeChoice {...{ time, setTime, isOwn, isPast, zone }} />
          )}
        </div>
        <TimingFields {...{ timing, preview, isDefault, setDefault }} onChange={setTiming} />
      </div>
      <Divider my="xs" />
      {isUsual ? (
        <Text size="sm" aria-live="polite">
          {t('schedule.sentence', { ...counts, time: dateTime(instant, zone) })}
        </Text>
      ) : (
        <TimingSentence timing={timing} preview={preview} zone={zone} />
      )}
      {isMoved && !isOwn && (
        <Text size="sm" c="warning">
          {t('schedule.gap')}
        </Text>
      )}
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={close}>
          {t('cancel')}
        </Button>
        <ScheduleButton
          {...{ recipientCount, isBusy, isPast }}
          schedule={() => void schedule(wallTime)}
        >
          {isUsual && dateTime(instant, zone)}
        </ScheduleButton>
      </Group>
    </div>
  );
}

interface ScheduleButtonProps {
  recipientCount: number;
  isBusy: boolean;
  isPast: boolean;
  schedule: () => void;
  /** The instant, if it is the same for all recipients. */
  children: ReactNode;
}

function ScheduleButton({
  recipientCount,
  isBusy,
  isPast,
  schedule,
  children,
}: ScheduleButtonProps) {
  const t = useTexts('broadcasts');
  const { number } = useFormats();
  return (
    <Button h="auto" py={6} loading={isBusy} disabled={isPast} onClick={schedule}>
      <span className={classes.act}>
        <span>
          {t('schedule.confirm', { count: recipientCount, total: number(recipientCount) })}
        </span>
        {children && <span className={classes.when}>{children}</span>}
      </span>
    </Button>
  );
}

interface TimeChoiceProps {
  time: string;
  setTime: (time: string) => void;
  /** Whether the time applies in each recipient's own zone. */
  isOwn: boolean;
  isPast: boolean;
  zone: string;
}

function TimeChoice({ time, setTime, isOwn, isPast, zone }: TimeChoiceProps) {
  const t = useTexts('broadcasts');
  const { time: clockTime } = useFormats();
  const formatLabel = (value: string) => clockTime(new Date(`1970-01-01T${value}:00Z`), 'UTC');
  return (
    <SearchableSelect
      label={t('schedule.time')}
      description={isOwn ? t('timing.ownClock') : t('schedule.zone', { zone })}
      allowDeselect={false}
      value={time}
      onChange={(value) => value && setTime(value)}
      data={TIMES.map((value) => ({ value, label: formatLabel(value) }))}
      error={isPast ? t('schedule.past') : undefined}
    />
  );
}

/** Returns whether sending to all recipients starts at the chosen time. */
const isPlain = (
  { when, window, spread_hours: spread }: BroadcastTiming,
  preview?: TimingPreview,
) =>
  when === 'time' &&
  spread === null &&
  (window === null || (window === 'default' && !preview?.default_window));

/**
 * Loads when the first and the last recipients would get the broadcast; the previous preview is
 * shown while a new one loads.
 */
function useTimingPreview(ui: BroadcastUi, id: string, timing: BroadcastTiming, wallTime: string) {
  const body = { timing, schedule_time: wallTime };
  const { data } = useQuery({
    queryKey: [`${ui.base}/${id}/timing`, body],
    queryFn: () =>
      ui.api('POST /client-api/api/campaigns/{id}/timing/preview', { params: { id }, body }),
    placeholderData: keepPreviousData,
  });
  return data?.data;
}

/** The date picker in the account's calendar, with a button that chooses today. */
function DayChoice({
  day,
  setDay,
  today,
}: {
  day: string;
  setDay: (day: string) => void;
  today: string;
}) {
  const t = useTexts('broadcasts');
  const { number } = useFormats();
  const locale = useDayLocale();
  const isPersian = usePersianCalendar();
  const [shownMonth, setShownMonth] = useState(day);
  return (
    <>
      {isPersian ? (
        <PersianDay label={t('platform:day.date')} value={day} min={today} onChange={setDay} />
      ) : (
        <DatePicker
          value={day}
          onChange={(value) => value && setDay(value)}
          date={shownMonth}
          onDateChange={setShownMonth}
          minDate={today}
          weekendDays={[]}
          locale={locale}
          getDayAriaLabel={(date) => formatDayLabel(date, locale)}
          renderDay={(date) => number(Number(date.slice(8, 10)))}
          monthLabelFormat={(month) => formatMonth(month, locale)}
          ariaLabels={{
            nextMonth: t('schedule.nextMonth'),
            previousMonth: t('schedule.previousMonth'),
          }}
        />
      )}
      <Button
        size="compact-sm"
        variant="subtle"
        onClick={() => {
          setDay(today);
          setShownMonth(today);
        }}
      >
        {t('schedule.today')}
      </Button>
    </>
  );
}

/**
 * Saves the timing if it changed; if `isDefault`, also saves its sending window as the account's
 * window. Returns the revision.
 */
async function saveTiming(
  { ui, campaign }: Pick<ScheduleFormProps, 'ui' | 'campaign'>,
  timing: BroadcastTiming,
  isDefault: boolean,
): Promise<number> {
  const { id, revision } = campaign;
  const { window } = timing;
  const isForAll = isDefault && window !== 'default';
  if (isForAll) await windowApi('PUT /client-api/api/sending_window', { body: { window } });
  const next = isForAll ? { ...timing, window: 'default' as const } : timing;
  if (JSON.stringify(next) === JSON.stringify(campaign.timing)) return revision;
  const timingResponse = await ui.api('PUT /client-api/api/campaigns/{id}/timing', {
    params: { id },
    body: { timing: next, revision },
  });
  storeResponse(`${ui.base}/${id}`, timingResponse);
  return timingResponse.data.revision;
}

const windowApi = client<typeof windowCalls>();

function useScheduling(
  { ui, campaign, close, onDone }: Omit<ScheduleFormProps, 'recipientCount'>,
  timing: BroadcastTiming,
  isDefault: boolean,
) {
  const [isBusy, setBusy] = useState(false);
  const keyOf = useIdempotencyKey();
  const schedule = async (wallTime: string) => {
    setBusy(true);
    try {
      const revision = await saveTiming({ ui, campaign }, timing, isDefault);
      const body = { schedule_time: wallTime, revision };
      const scheduleResponse = await ui.api('POST /client-api/api/campaigns/{id}/schedule', {
        params: { id: campaign.id },
        body,
        idempotencyKey: keyOf(body),
      });
      storeResponse(`${ui.base}/${campaign.id}`, scheduleResponse);
      close();
      onDone();
    } catch (error) {
      showError(error);
      if (error instanceof ApiError && error.status === 409) close();
    } finally {
      setBusy(false);
      await invalidate(...listAffectedQueries(ui, campaign.id));
    }
  };
  return { isBusy, schedule };
}
