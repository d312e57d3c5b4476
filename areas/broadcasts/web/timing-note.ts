// A note for users who send a campaign now: if a window or a spread delays the messages, it states
// when they will be sent.
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { Broadcast, BroadcastUi } from './ui.ts';

const NOW_TOLERANCE_MS = 60_000;

/**
 * Returns a function that returns the confirmation text, or undefined if all messages are sent now
 * or the times are unknown.
 */
export function useTimingNote({
  ui,
  campaign,
}: {
  ui: BroadcastUi;
  campaign: Pick<Broadcast, 'id' | 'title' | 'timing'>;
}) {
  const t = useTexts('broadcasts');
  const { dateTime, number } = useFormats();
  const { id, timing, title } = campaign;
  return async (count: number): Promise<string | undefined> => {
    const body = { timing, schedule_time: null };
    const preview = await ui
      .api('POST /client-api/api/campaigns/{id}/timing/preview', { params: { id }, body })
      // Errors are ignored here, because sending reports missing settings.
      .catch(() => undefined);
    const firstAt = preview?.data.first_at;
    const lastAt = preview?.data.last_at;
    if (!firstAt || !lastAt || Date.parse(lastAt) <= Date.now() + NOW_TOLERANCE_MS)
      return undefined;
    const times = { first: dateTime(firstAt), last: dateTime(lastAt) };
    return t('timing.delayed', { count, total: number(count), title, ...times });
  };
}
