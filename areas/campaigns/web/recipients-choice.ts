// What is ticked in the recipients step, saved one change after the other in the order of the ticks. What
// could not be saved is unticked again: nobody sends to people, or past them, on a tick that is not kept.
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

type Choice = { included: Ticked; excluded: Ticked; toAll: boolean };
type Change = (now: Choice) => Choice;

const idsOf = (list: readonly { id: string }[]) => list.map((one) => one.id);

const choiceOf = (campaign: Campaign): Choice => ({
  included: { groups: idsOf(campaign.tags), segments: idsOf(campaign.filters) },
  excluded: { groups: idsOf(campaign.exclude_tags), segments: idsOf(campaign.exclude_filters) },
  toAll: campaign.send_to_all,
});

const including =
  (part: Partial<Ticked>, toAll = false): Change =>
  (now) => ({ ...now, toAll, included: { ...now.included, ...part } });
const excluding =
  (part: Partial<Ticked>): Change =>
  (now) => ({ ...now, excluded: { ...now.excluded, ...part } });

export function useRecipientsChoice(campaign: Campaign) {
  const params = { id: campaign.id };
  const { choice, save, isSaving, settled } = useKept(campaign);
  const { included, excluded, toAll } = choice;
  const saveGroups = (tags_arr: string[], send_to_all: boolean) => () =>
    api('POST /client-api/api/campaigns/{id}/tags/set', {
      params,
      body: { tags_arr, send_to_all },
    });
  return {
    included,
    excluded,
    toAll,
    isChosen: toAll || included.groups.length + included.segments.length > 0,
    isSaving,
    settled,
    setToAll: (is: boolean) => save(including({}, is), saveGroups(is ? [] : included.groups, is)),
    include: {
      groups: (groups: string[]) => save(including({ groups }), saveGroups(groups, false)),
      segments: (segments: string[]) =>
        save(including({ segments }), () =>
          api('POST /client-api/api/campaigns/{id}/filters/set', {
            params,
            body: { filters_arr: segments },
          }),
        ),
    },
    exclude: {
      groups: (groups: string[]) =>
        save(excluding({ groups }), () =>
          api('POST /client-api/api/campaigns/{id}/exclude_tags/set', {
            params,
            body: { tags_arr: groups },
          }),
        ),
      segments: (segments: string[]) =>
        save(excluding({ segments }), () =>
          api('POST /client-api/api/campaigns/{id}/exclude_filters/set', {
            params,
            body: { filters_arr: segments },
          }),
        ),
    },
  };
}

/** What is shown, and beside it what the server has: the same again once the last change is through. */
function useKept(campaign: Campaign) {
  const [choice, setChoice] = useState(() => choiceOf(campaign));
  const [waiting, setWaiting] = useState(0);
  const held = useRef({ kept: choice, waiting: 0, failures: 0 });
  const line = useRef<Promise<unknown>>(Promise.resolve());
  const keep = async (change: Change, act: () => Promise<unknown>) => {
    try {
      await act();
      held.current.kept = change(held.current.kept);
    } catch (error) {
      held.current.failures++;
      showError(error);
    }
    await touch(...touchesOf(campaign.id));
    held.current.waiting--;
    setWaiting(held.current.waiting);
    if (held.current.waiting === 0) setChoice(held.current.kept);
  };
  const save = (change: Change, act: () => Promise<unknown>) => {
    setChoice(change);
    held.current.waiting++;
    setWaiting(held.current.waiting);
    line.current = line.current.then(() => keep(change, act));
  };
  /** Once all is through: false if anything of it was not kept. */
  const settled = async (): Promise<boolean> => {
    const before = held.current.failures;
    await line.current;
    return held.current.failures === before;
  };
  return { choice, save, isSaving: waiting > 0, settled };
}
