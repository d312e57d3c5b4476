// The selection of the recipients step. Changes are saved one after another, in order. A change
// that could not be saved is reverted in the form so that nothing is sent to a selection that
// differs from the displayed one. Each change is sent with the revision that it is based on. If
// another tab has changed the selection since, the selection of that tab is shown instead.
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '#platform/web/api-error.ts';
import { showError } from '#platform/web/errors/errors.ts';
import { notice } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { type Broadcast, type BroadcastUi, listAffectedQueries } from './ui.ts';

/** Groups and segments by id. */
export interface RecipientsSelection {
  groups: string[];
  segments: string[];
}

type RecipientsChoice = {
  included: RecipientsSelection;
  excluded: RecipientsSelection;
  toAll: boolean;
};
type ChoiceUpdate = (now: RecipientsChoice) => RecipientsChoice;
type SaveChoice = (revision: number) => Promise<unknown>;

const listIds = (list: readonly { id: string }[]) => list.map((item) => item.id);

const toChoice = (campaign: Broadcast): RecipientsChoice => ({
  included: { groups: listIds(campaign.tags), segments: listIds(campaign.filters) },
  excluded: { groups: listIds(campaign.exclude_tags), segments: listIds(campaign.exclude_filters) },
  toAll: campaign.send_to_all,
});

const include =
  (change: Partial<RecipientsSelection>, toAll = false): ChoiceUpdate =>
  (now) => ({ ...now, toAll, included: { ...now.included, ...change } });
const exclude =
  (change: Partial<RecipientsSelection>): ChoiceUpdate =>
  (now) => ({ ...now, excluded: { ...now.excluded, ...change } });

export function useRecipientsChoice(ui: BroadcastUi, campaign: Broadcast) {
  const { api } = ui;
  const params = { id: campaign.id };
  const { choice, save, isSaving, waitUntilSaved } = useSavedChoice(ui, campaign);
  const { included, excluded, toAll } = choice;
  const saveGroups =
    (tags_arr: string[], send_to_all: boolean): SaveChoice =>
    (revision) =>
      api('POST /client-api/api/campaigns/{id}/tags/set', {
        params,
        body: { tags_arr, send_to_all, revision },
      });
  return {
    included,
    excluded,
    toAll,
    isChosen: toAll || included.groups.length + included.segments.length > 0,
    isSaving,
    waitUntilSaved,
    setToAll: (value: boolean) =>
      save(include({}, value), saveGroups(value ? [] : included.groups, value)),
    include: {
      groups: (groups: string[]) => save(include({ groups }), saveGroups(groups, false)),
      segments: (segments: string[]) =>
        save(include({ segments }), (revision) =>
          api('POST /client-api/api/campaigns/{id}/filters/set', {
            params,
            body: { filters_arr: segments, revision },
          }),
        ),
    },
    exclude: {
      groups: (groups: string[]) =>
        save(exclude({ groups }), (revision) =>
          api('POST /client-api/api/campaigns/{id}/exclude_tags/set', {
            params,
            body: { tags_arr: groups, revision },
          }),
        ),
      segments: (segments: string[]) =>
        save(exclude({ segments }), (revision) =>
          api('POST /client-api/api/campaigns/{id}/exclude_filters/set', {
            params,
            body: { filters_arr: segments, revision },
          }),
        ),
    },
  };
}

/**
 * Returns the displayed selection and the one on the server, which are equal again once the last
 * change is saved.
 */
function useSavedChoice(ui: BroadcastUi, campaign: Broadcast) {
  const t = useTexts('broadcasts');
  const [choice, setChoice] = useState(() => toChoice(campaign));
  const [waiting, setWaiting] = useState(0);
  const { revision } = campaign;
  // A change made before `replacements` increased is dropped, because it was made to a selection
  // that another tab has replaced.
  const latest = useRef({
    savedChoice: choice,
    revision,
    waiting: 0,
    failures: 0,
    replacements: 0,
  });
  const queue = useRef<Promise<unknown>>(Promise.resolve());
  useEffect(() => {
    // Changes of another tab are shown unless changes of this tab are in progress.
    if (latest.current.waiting > 0 || campaign.revision <= latest.current.revision) return;
    const now = toChoice(campaign);
    latest.current.revision = campaign.revision;
    if (isSame(now, latest.current.savedChoice)) return;
    latest.current.savedChoice = now;
    setChoice(now);
  }, [campaign]);
  const onReplaced = (now: RecipientsChoice) => {
    latest.current.savedChoice = now;
    latest.current.failures++;
    latest.current.replacements++;
    notice(t('recipients.stale'), { title: t('stale.title'), id: 'recipients:stale' });
  };
  const saveChange = async (change: ChoiceUpdate, saveChoice: SaveChoice, replacements: number) => {
    try {
      if (
        replacements === latest.current.replacements &&
        (await saveOnLatest(ui, campaign.id, latest.current, saveChoice, onReplaced))
      )
        latest.current.savedChoice = change(latest.current.savedChoice);
    } catch (error) {
      latest.current.failures++;
      showError(error);
    }
    await invalidate(...listAffectedQueries(ui, campaign.id));
    latest.current.waiting--;
    setWaiting(latest.current.waiting);
    if (latest.current.waiting === 0) setChoice(latest.current.savedChoice);
  };
  const save = (change: ChoiceUpdate, saveChoice: SaveChoice) => {
    const { replacements } = latest.current;
    setChoice(change);
    latest.current.waiting++;
    setWaiting(latest.current.waiting);
    queue.current = queue.current.then(() => saveChange(change, saveChoice, replacements));
  };
  /** Waits for all changes; returns false if a change was not saved. */
  const waitUntilSaved = async (): Promise<boolean> => {
    const failuresBefore = latest.current.failures;
    await queue.current;
    return latest.current.failures === failuresBefore;
  };
  return { choice, save, isSaving: waiting > 0, waitUntilSaved };
}

/**
 * Saves a change; returns true if it was saved. If another tab changed something other than the
 * recipients, the change is saved on top of it; if it changed the recipients, `onReplaced` gets the
 * current selection.
 */
async function saveOnLatest(
  ui: BroadcastUi,
  id: string,
  latest: { savedChoice: RecipientsChoice; revision: number },
  saveChoice: SaveChoice,
  onReplaced: (now: RecipientsChoice) => void,
): Promise<boolean> {
  try {
    await saveChoice(latest.revision);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'stale_revision') throw error;
    const data = await ui.read(id);
    latest.revision = data.revision;
    const now = toChoice(data);
    if (!isSame(now, latest.savedChoice)) {
      onReplaced(now);
      return false;
    }
    await saveChoice(latest.revision);
  }
  latest.revision++;
  return true;
}

/** Ignores groups that stay selected in the form while 'all subscribers' is chosen. */
function isSame(a: RecipientsChoice, b: RecipientsChoice): boolean {
  const serialize = ({ included, excluded, toAll }: RecipientsChoice) =>
    JSON.stringify([toAll || sortChoice(included), sortChoice(excluded)]);
  return serialize(a) === serialize(b);
}

const sortChoice = ({ groups, segments }: RecipientsSelection) => [
  groups.toSorted(),
  segments.toSorted(),
];
