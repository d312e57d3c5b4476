// Follows a requested export across screens and announces when it is ready.
import { ApiError } from '#platform/web/api-error.ts';
import { listen } from '#platform/web/api/live.ts';
import { failure, notice } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { text } from '#platform/web/texts/texts.ts';
import type { Export } from '../contract.ts';
import { api, downloadExport, LIST_PATH } from './queries.ts';

const POLL_MS = 4_000;
const TERMINAL_STATUSES = new Set([401, 403, 404, 410]);

export function followExport(id: string): void {
  let isPolling = false;
  const poll = async () => {
    if (isPolling) return;
    isPolling = true;
    try {
      const { data } = await api('GET /client-api/api/exports/{id}', { params: { id } });
      if (data.state === 'queued' || data.state === 'running') return;
      end();
      notifyResult(data);
      await invalidate(LIST_PATH);
    } catch (error) {
      // Polling ends if the export was deleted or the user signed out. After any other error, the
      // next poll may succeed.
      if (error instanceof ApiError && TERMINAL_STATUSES.has(error.status)) end();
    } finally {
      isPolling = false;
    }
  };
  const stop = listen(`export:${id}`, () => void poll());
  const timer = setInterval(() => void poll(), POLL_MS);
  const end = () => {
    stop();
    clearInterval(timer);
  };
  void poll();
}

function notifyResult(data: Export): void {
  if (data.state === 'failed') failure(data.error?.message ?? text('exports:failed'));
  else if (data.state === 'finished')
    notice(text('exports:ready', { count: data.row_count }), {
      id: `export:${data.id}`,
      duration: false,
      action: { label: text('exports:download'), run: () => void downloadExport(data.id) },
    });
}
