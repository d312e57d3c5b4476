// The calendar of the schedule dialog, loaded on opening: a month, a time in quarters of an hour,
// the account's zone, and the instant in words.
import { Button, Group, Text } from '@mantine/core';
import { DatePicker } from '@mantine/dates';
import '@mantine/dates/styles.layer.css';
import { useEffect, useState } from 'react';
import { ApiError } from '#platform/web/api/api.ts';
import { showError } from '#platform/web/errors/errors.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { usePersianCalendar } from '#platform/web/texts/persian-calendar.ts';
import { invalidate, storeAnswer } from '#platform/web/api/queries.ts';
import { useSession } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { PersianDay } from '#platform/web/ui/persian-day.tsx';
import { SearchableSelect } from '#platform/web/ui/searchable-select.tsx';
import { useKeyOf } from '#platform/web/hooks/use-key-of.ts';
import { instantOfWall, proposedWall, STEP_MINUTES, wallOfInstant } from '../wall-time.ts';
import { dayLabel, monthLabel, useDayLocale } from './day-locale.ts';
import classes from './schedule-dialog.module.css';
import { type Broadcast, type BroadcastUi, touchesOf } from './ui.ts';

export interface ScheduleFormProps {
  ui: BroadcastUi;
  campaign: Broadcast;
  count: number;
  close: () => void;
  onDone: () => void;
}

/** The present time, updated while the dialog is open. */
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
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
});

export default function ScheduleForm({ ui, campaign, count, close, onDone }: ScheduleFormProps) {
  const t = useTexts('broadcasts');
  const { dateTime, number, time: clockTime } = useFormats();
  const zone = useSession().account.timezone;
  const now = useNow();
  const [proposed] = useState(() => proposedWall(now, zone));
  const [day, setDay] = useState(proposed.slice(0, 10));
  const [time, setTime] = useState(proposed.slice(11, 16));
  const wall = `${day} ${time}:00`;
  const instant = instantOfWall(wall, zone) ?? now;
  const isPast = instant.getTime() <= now.getTime();
  const isMoved = wallOfInstant(instant, zone) !== wall;
  const { isBusy, schedule } = useScheduling({ ui, campaign, close, onDone });
  const label = (value: string) => clockTime(new Date(`1970-01-01T${value}:00Z`), 'UTC');
  return (
    <div className={classes.form}>
      <DayChoice day={day} setDay={setDay} today={wallOfInstant(now, zone).slice(0, 10)} />
      <SearchableSelect
        label={t('schedule.time')}
        description={t('schedule.zone', { zone })}
        allowDeselect={false}
        value={time}
        onChange={(value) => value && setTime(value)}
        data={TIMES.map((value) => ({ value, label: label(value) }))}
        error={isPast ? t('schedule.past') : undefined}
      />
      <Text size="sm" mt="sm" aria-live="polite">
        {t('schedule.sentence', { count, total: number(count), time: dateTime(instant, zone) })}
      </Text>
      {isMoved && (
        <Text size="sm" c="warning">
          {t('schedule.gap')}
        </Text>
      )}
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={close}>
          {t('cancel')}
        </Button>
        <Button
          h="auto"
          py={6}
          loading={isBusy}
          disabled={isPast}
          onClick={() => void schedule(wall)}
        >
          <span className={classes.act}>
            <span>{t('schedule.confirm', { count, total: number(count) })}</span>
            <span className={classes.when}>{dateTime(instant, zone)}</span>
          </span>
        </Button>
      </Group>
    </div>
  );
}

/** The month of the account's calendar, with a link back to today. */
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
          getDayAriaLabel={(date) => dayLabel(date, locale)}
          renderDay={(date) => number(Number(date.slice(8, 10)))}
          monthLabelFormat={(month) => monthLabel(month, locale)}
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

function useScheduling({ ui, campaign, close, onDone }: Omit<ScheduleFormProps, 'count'>) {
  const [isBusy, setBusy] = useState(false);
  const keyOf = useKeyOf();
  const schedule = async (wall: string) => {
    setBusy(true);
    try {
      const body = { schedule_time: wall, revision: campaign.revision };
      const scheduled = await ui.api('POST /client-api/api/campaigns/{id}/schedule', {
        params: { id: campaign.id },
        body,
        idempotencyKey: keyOf(body),
      });
      storeAnswer(`${ui.base}/${campaign.id}`, scheduled);
      close();
      onDone();
    } catch (error) {
      showError(error);
      if (error instanceof ApiError && error.status === 409) close();
    } finally {
      setBusy(false);
      await invalidate(...touchesOf(ui, campaign.id));
    }
  };
  return { isBusy, schedule };
}
