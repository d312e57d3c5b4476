// The calls of reports, and how a report keeps itself up to date.
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { client } from '#platform/web/api.ts';
import { useLive } from '#platform/web/live.ts';
import { touch } from '#platform/web/queries.ts';
import { useParam } from '#platform/web/use-param.ts';
import type { calls } from '../contract.ts';

export const api = client<typeof calls>();

/** Hints come several times a second while a campaign is sent. */
const LEAST_MS = 2000;

export const reportPath = (campaign: string) => `/campaigns/${campaign}/report`;

export function useOverview() {
  const id = useParam('campaign');
  return useQuery(
    api.query('GET /client-api/api/campaigns/{id}/report/overview', { params: { id } }),
  );
}

/** Asks for everything on the screen again when something of this report changed. */
export function useLiveReport(topic: string): void {
  const id = useParam('campaign');
  const last = useRef(0);
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  const refresh = useCallback(() => {
    waiting.current = undefined;
    last.current = Date.now();
    void touch(`/client-api/api/campaigns/${id}/report`);
  }, [id]);
  const onHint = () => {
    waiting.current ??= setTimeout(refresh, Math.max(0, last.current + LEAST_MS - Date.now()));
  };
  useLive(topic, onHint);
  useLive(`campaign:${id}`, onHint);
  useEffect(() => () => clearTimeout(waiting.current), []);
}
