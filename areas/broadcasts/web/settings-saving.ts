// Saves the settings of a draft automatically, as the email editor does.
import { useForm } from '@mantine/form';
import { useRef } from 'react';
import { type Autosave, useAutosave } from '#platform/web/editing/use-autosave.ts';
import { type FormHandle, focusFirstError, type ServerFormOptions } from '#platform/web/forms.ts';

interface SettingsSource<Row, Values> {
  /** Key of edits stored in the browser: `campaign:abc:envelope`. */
  name: string;
  /** The draft as last read, including changes made elsewhere. */
  row: Row;
  toFormValues: (row: Row) => Values;
  load: () => Promise<Row>;
  save: (values: Values, revision: number) => Promise<Row>;
}

export function useSettingsSaving<Row extends { revision: number; modified: string }, Values>({
  name,
  row,
  toFormValues,
  load,
  save,
}: SettingsSource<Row, Values>): Autosave<Values> {
  const base = useRef<{ values: string; revision: number }>(undefined);
  const newest = useRef(row);
  newest.current = row;
  const serializeRow = (row: Row) => JSON.stringify(toFormValues(row));
  /**
   * Returns the revision that a save is based on: the newest one if only content or recipients have
   * changed since `revision`.
   */
  const getRevision = (revision: number) => {
    const isLater = base.current?.revision === revision && newest.current.revision > revision;
    const isSame = isLater && base.current?.values === serializeRow(newest.current);
    return isSame ? newest.current.revision : revision;
  };
  const rememberBase = (savedRow: Row) => {
    base.current = { values: serializeRow(savedRow), revision: savedRow.revision };
    return { revision: savedRow.revision, saved_at: savedRow.modified };
  };
  return useAutosave<Values>({
    name,
    load: async () => {
      const savedRow = await load();
      return { value: toFormValues(savedRow), ...rememberBase(savedRow) };
    },
    save: async (values, revision) => rememberBase(await save(values, getRevision(revision))),
  });
}

export interface SavedFormOptions<Values extends Record<string, unknown>> {
  saving: Autosave<Values>;
  initialValues: Values;
  validate: NonNullable<ServerFormOptions<Values>['validate']>;
  /** Called once everything is saved. */
  next: () => Promise<unknown>;
}

export function useSavedForm<Values extends Record<string, unknown>>({
  saving,
  initialValues,
  validate,
  next,
}: SavedFormOptions<Values>): {
  form: FormHandle<Values>;
  submit: ReturnType<FormHandle<Values>['onSubmit']>;
} {
  const form = useForm<Values>({
    mode: 'controlled',
    validateInputOnBlur: true,
    initialValues,
    validate,
    onValuesChange: saving.change,
  });
  const submit = form.onSubmit(
    async (values) => {
      // Also saves defaults that the form shows and no save contains yet.
      saving.change(values);
      if (await saving.flush()) await next();
    },
    () => focusFirstError(),
  );
  return { form, submit };
}
