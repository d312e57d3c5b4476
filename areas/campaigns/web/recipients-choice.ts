// What is ticked in the recipients step, saved one change after the other in the order of the ticks.
import { useRef, useState } from 'react';
import { showError } from '#platform/web/errors.ts';
import { touch } from '#platform/web/queries.ts';
import type { Campaign } from '../contract.ts';
import { api, touchesOf } from './queries.ts';

/** Groups and segments by id. */
export interface Ticked {
  groups: string[];
  segments: string[];
}

const idsOf = (list: readonly { id: string }[]) => list.map((one) => one.id);

export function useRecipientsChoice(campaign: Campaign) {
  const { id } = campaign;
  const [included, setIn] = useState<Ticked>(() => ({
    groups: idsOf(campaign.tags),
    segments: idsOf(campaign.filters),
  }));
  const [excluded, setOut] = useState<Ticked>(() => ({
    groups: idsOf(campaign.exclude_tags),
    segments: idsOf(campaign.exclude_filters),
  }));
  const [toAll, setAll] = useState(campaign.send_to_all);
  const [waiting, setWaiting] = useState(0);
  const line = useRef<Promise<unknown>>(Promise.resolve());
  const save = (act: () => Promise<unknown>) => {
    setWaiting((count) => count + 1);
    line.current = line.current
      .then(act)
      .catch(showError)
      .then(() => touch(...touchesOf(id)))
      .finally(() => setWaiting((count) => count - 1));
  };
  const params = { id };
  const saveGroups = (tags_arr: string[], send_to_all: boolean) =>
    save(() =>
      api('POST /client-api/api/campaigns/{id}/tags/set', {
        params,
        body: { tags_arr, send_to_all },
      }),
    );
  return {
    included,
    excluded,
    toAll,
    isChosen: toAll || included.groups.length + included.segments.length > 0,
    isSaving: waiting > 0,
    settled: () => line.current,
    setToAll: (is: boolean) => {
      setAll(is);
      saveGroups(is ? [] : included.groups, is);
    },
    include: {
      groups: (groups: string[]) => {
        setIn((before) => ({ ...before, groups }));
        saveGroups(groups, false);
      },
      segments: (segments: string[]) => {
        setIn((before) => ({ ...before, segments }));
        save(() =>
          api('POST /client-api/api/campaigns/{id}/filters/set', {
            params,
            body: { filters_arr: segments },
          }),
        );
      },
    },
    exclude: {
      groups: (groups: string[]) => {
        setOut((before) => ({ ...before, groups }));
        save(() =>
          api('POST /client-api/api/campaigns/{id}/exclude_tags/set', {
            params,
            body: { tags_arr: groups },
          }),
        );
      },
      segments: (segments: string[]) => {
        setOut((before) => ({ ...before, segments }));
        save(() =>
          api('POST /client-api/api/campaigns/{id}/exclude_filters/set', {
            params,
            body: { filters_arr: segments },
          }),
        );
      },
    },
  };
}
