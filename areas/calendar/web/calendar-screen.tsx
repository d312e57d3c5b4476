// The calendar screen: a month, a week or an agenda in the account's time zone.
import { ActionIcon, Button, Group, SegmentedControl, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconCalendar, IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { instantToWallTime } from '#areas/broadcasts/wall-time.ts';
import { parseOneOf, text, useSearchParams } from '#platform/web/api/address.ts';
import { useNow } from '#platform/web/hooks/use-now.ts';
import { useSession } from '#platform/web/session/session.ts';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { usePersianCalendar } from '#platform/web/texts/persian-calendar.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { EmptyState, FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { CalendarEntry } from '../contract.ts';
import { Agenda } from './agenda.tsx';
import classes from './calendar.module.css';
import {
  addDays,
  addMonths,
  isSameMonth,
  startOfMonth,
  startOfWeek,
  type View,
  weekFrom,
  weeksOfMonth,
} from './days.ts';
import { useMoving } from './moving.ts';
import { useCalendar } from './queries.ts';

const Grid = lazyWithRetry(() => import('./grid.tsx'));
const MoveDialog = lazyWithRetry(() => import('./move-dialog.tsx'));

const VIEWS = ['month', 'week', 'agenda'] as const;
const AGENDA_DAYS = 30;
const address = { view: parseOneOf(['', ...VIEWS], ''), day: text() };
const DAY = /^(19|20)\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

export default function CalendarScreen() {
  const t = useTexts('calendar');
  const zone = useSession().account.timezone;
  const isPersian = usePersianCalendar();
  const isSmall = useMediaQuery('(max-width: 768px)') ?? false;
  const [values, set] = useSearchParams(address);
  const today = instantToWallTime(useNow(), zone).slice(0, 10);
  const view: View = values.view || (isSmall ? 'agenda' : 'month');
  const day = DAY.test(values.day) ? addDays(values.day, 0) : today;
  const days = useMemo(() => daysOf(view, day, isPersian), [view, day, isPersian]);
  const calendar = useCalendar(days[0] as string, days.at(-1) as string);
  const entries = calendar.data?.data.entries ?? [];
  return (
    <Page
      title={t('title')}
      description={t('zone', { zone })}
      actions={
        <Button component={Link} to="/campaigns/create">
          {t('create')}
        </Button>
      }
    >
      <Head
        view={view}
        day={day}
        days={days}
        showDay={(to) => set({ day: to === today ? '' : to })}
        setView={(to) => set({ view: to })}
        today={today}
      />
      {calendar.isLoadingError ? (
        <FailedState error={calendar.error} retry={calendar.refetch} />
      ) : calendar.data ? (
        <Content
          {...{ view, day, days, entries, today, zone, isSmall }}
          showDay={(to) => set({ view: 'agenda', day: to === today ? '' : to })}
        />
      ) : (
        <LoadingState rows={6} height={96} />
      )}
    </Page>
  );
}

function daysOf(view: View, day: string, isPersian: boolean): string[] {
  if (view === 'month') return weeksOfMonth(day, isPersian).flat();
  if (view === 'week') return weekFrom(startOfWeek(day, isPersian));
  return Array.from({ length: AGENDA_DAYS }, (_, at) => addDays(day, at));
}

interface HeadProps {
  view: View;
  day: string;
  days: string[];
  today: string;
  showDay: (day: string) => void;
  setView: (view: View) => void;
}

function Head({ view, day, days, today, showDay, setView }: HeadProps) {
  const t = useTexts('calendar');
  const isPersian = usePersianCalendar();
  const title = useTitle(view, day, days);
  const step = (count: number) => {
    if (view === 'month') return addMonths(startOfMonth(day, isPersian), count, isPersian);
    return addDays(day, count * (view === 'week' ? 7 : AGENDA_DAYS));
  };
  return (
    <Group justify="space-between" gap="sm" mb="md">
      <Group gap="xs">
        <ActionIcon
          variant="default"
          size="lg"
          aria-label={t(`previous.${view}`)}
          onClick={() => showDay(step(-1))}
        >
          <IconChevronLeft size={18} className={classes.arrow} />
        </ActionIcon>
        <ActionIcon
          variant="default"
          size="lg"
          aria-label={t(`next.${view}`)}
          onClick={() => showDay(step(1))}
        >
          <IconChevronRight size={18} className={classes.arrow} />
        </ActionIcon>
        <Button variant="default" size="sm" onClick={() => showDay(today)}>
          {t('today')}
        </Button>
        <Text component="h2" fw={600} aria-live="polite">
          {title}
        </Text>
      </Group>
      <SegmentedControl
        size="sm"
        aria-label={t('view')}
        value={view}
        onChange={(value) => setView(value as View)}
        data={VIEWS.map((value) => ({ value, label: t(`views.${value}`) }))}
      />
    </Group>
  );
}

/** Returns the title of the view: its month, or its first and last day. */
function useTitle(view: View, day: string, days: string[]): string {
  const { i18n } = useTranslation();
  const isPersian = usePersianCalendar();
  const { date } = useFormats();
  const at = new Date(`${day}T00:00:00Z`);
  if (view === 'month') {
    const format = new Intl.DateTimeFormat(i18n.language, {
      month: 'long',
      year: 'numeric',
      timeZone: 'UTC',
    });
    // Persian writes the month first; the browser's pattern has the year first.
    const parts = format.formatToParts(at);
    const findPart = (type: string) =>
      parts.find((findPart) => findPart.type === type)?.value ?? '';
    return isPersian ? `${findPart('month')} ${findPart('year')}` : format.format(at);
  }
  const formatDay = (isoDay: string) => date(`${isoDay}T12:00:00Z`, 'UTC');
  return `${formatDay(days[0] as string)} – ${formatDay(days.at(-1) as string)}`;
}

interface ContentProps {
  view: View;
  day: string;
  days: string[];
  entries: CalendarEntry[];
  today: string;
  zone: string;
  isSmall: boolean;
  showDay: (day: string) => void;
}

function Content({ view, day, days, entries, today, zone, isSmall, showDay }: ContentProps) {
  const t = useTexts('calendar');
  const isPersian = usePersianCalendar();
  const moving = useMoving(zone);
  const [moved, setMoved] = useState<CalendarEntry>();
  const byDay = useMemo(
    () => Map.groupBy(entries, (entry) => instantToWallTime(new Date(entry.at), zone).slice(0, 10)),
    [entries, zone],
  );
  const getEntries = (date: string) => byDay.get(date) ?? [];
  const actions = {
    zone,
    startMove: setMoved,
    skip: (entry: CalendarEntry) => void moving.skip(entry),
  };
  const isList = view === 'agenda' || (view === 'week' && isSmall);
  const isEmpty = entries.length === 0;
  return (
    <>
      {isList && !isEmpty && <Agenda {...{ days, getEntries, today, actions }} />}
      {!isList && (
        <Suspense fallback={<LoadingState rows={6} height={96} />}>
          <Grid
            weeks={view === 'month' ? weeksOfMonth(day, isPersian) : [days]}
            isWeek={view === 'week'}
            isSmall={isSmall}
            isInside={(date) => view === 'week' || isSameMonth(date, day, isPersian)}
            {...{ getEntries, today, actions, moving, showDay }}
          />
        </Suspense>
      )}
      {isEmpty && (
        <EmptyState
          icon={IconCalendar}
          title={t('empty.title')}
          action={
            <Button component={Link} to="/campaigns/create" variant="default">
              {t('empty.action')}
            </Button>
          }
        />
      )}
      <Suspense>
        {moved && (
          <MoveDialog entry={moved} zone={zone} moving={moving} close={() => setMoved(undefined)} />
        )}
      </Suspense>
    </>
  );
}
