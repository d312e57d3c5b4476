// The groups of a form: groups that all its new subscribers join, and groups that visitors can
// choose.
import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queryAllGroups, createGroup } from '#areas/groups/web/index.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useAction } from '#platform/web/api/queries.ts';
import { useUnsaved } from '#platform/web/session/use-unsaved.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { SearchableMultiSelect } from '#platform/web/ui/searchable-select.tsx';
import type { Form } from '../contract.ts';
import { api, LIST_PATH } from './queries.ts';
import classes from './view-screen.module.css';

export function FormGroups({ form }: { form: Form }) {
  const t = useTexts('forms');
  const groups = useQuery(queryAllGroups());
  return (
    <section className={classes.panel} aria-labelledby="form-groups">
      <h2 id="form-groups" className={classes.title}>
        {t('groups.title')}
      </h2>
      <p className={classes.muted}>{t('groups.text')}</p>
      {groups.isError && !groups.data && (
        <FailedState error={groups.error} retry={() => void groups.refetch()} />
      )}
      {groups.isPending && <LoadingState rows={2} />}
      {groups.data && (
        <Choice
          key={`${form.groups.map(({ id }) => id).join()} ${form.mandatory_tags.join()}`}
          form={form}
          options={groups.data.data.map(({ id, title }) => ({ value: id, label: title }))}
        />
      )}
    </section>
  );
}

function Choice(props: { form: Form; options: { value: string; label: string }[] }) {
  const { form, options } = props;
  const t = useTexts('forms');
  const { forEveryone, setForEveryone, chosen, setChosen, isChanged, save } = useChoice(form);
  return (
    <Stack gap="sm">
      <SearchableMultiSelect
        label={t('groups.everybody')}
        onCreate={createGroup}
        data={options.filter(({ value }) => !chosen.includes(value))}
        value={forEveryone}
        onChange={setForEveryone}
        clearable
        clearButtonProps={{ 'aria-label': t('groups.clear') }}
      />
      <SearchableMultiSelect
        label={t('groups.chosen')}
        onCreate={createGroup}
        description={t('groups.chosenNote')}
        data={options.filter(({ value }) => !forEveryone.includes(value))}
        value={chosen}
        onChange={setChosen}
        clearable
        clearButtonProps={{ 'aria-label': t('groups.clear') }}
      />
      {isChanged && (
        <div>
          <Button loading={save.isPending} onClick={() => save.mutate(undefined)}>
            {t('save')}
          </Button>
        </div>
      )}
    </Stack>
  );
}

/** Manages the edited groups. Unsaved changes are stored when the user leaves the screen. */
function useChoice(form: Form) {
  const t = useTexts('forms');
  const mandatory = new Set<string>(form.mandatory_tags);
  const savedGroups = {
    forEveryone: form.groups.flatMap(({ id }) => (mandatory.has(id) ? [id as string] : [])),
    chosen: form.groups.flatMap(({ id }) => (mandatory.has(id) ? [] : [id as string])),
  };
  const [forEveryone, setForEveryone] = useState(savedGroups.forEveryone);
  const [chosen, setChosen] = useState(savedGroups.chosen);
  const save = useAction(
    () =>
      api('POST /client-api/api/forms/{id}/tags', {
        params: { id: form.id },
        body: { tags_ids: [...forEveryone, ...chosen], mandatory_tags: forEveryone },
      }),
    { invalidates: [LIST_PATH], onDone: () => toast(t('groups.saved')) },
  );
  const isChanged =
    forEveryone.join() !== savedGroups.forEveryone.join() ||
    chosen.join() !== savedGroups.chosen.join();
  const edit = { forEveryone, chosen };
  const unsavedEdit = isChanged ? edit : undefined;
  useUnsaved<typeof edit>({
    name: `form:${form.id}:groups`,
    unsaved: unsavedEdit,
    restore: (restoredEdit) => {
      setForEveryone(restoredEdit.forEveryone);
      setChosen(restoredEdit.chosen);
    },
    discard: () => {
      setForEveryone(savedGroups.forEveryone);
      setChosen(savedGroups.chosen);
    },
    onLeave: 'store',
  });
  return { forEveryone, setForEveryone, chosen, setChosen, isChanged, save };
}
