// The form of a draft's settings with automatic saving. It shows the state of the saves, and a
// notice if another tab saved a different version.
import { Group } from '@mantine/core';
import { type ReactNode, Suspense } from 'react';
import type { FormHandle } from '#platform/web/forms.ts';
import { SaveState } from '#platform/web/ui/save-state.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { LateStaleNotice } from './late-stale-notice.ts';
import { type SavedFormOptions, useSavedForm } from './settings-saving.ts';

interface SavedSettingsProps<Values extends Record<string, unknown>>
  extends Omit<SavedFormOptions<Values>, 'initialValues'> {
  /** Whether all values can be saved; if not, the form is shown as unsaved. */
  isWhole: (values: Values) => boolean;
  /** The text of the notice; by default, the general text. */
  staleText?: string;
  children: (formParts: SavedFormParts<Values>) => ReactNode;
}

export interface SavedFormParts<Values extends Record<string, unknown>> {
  form: FormHandle<Values>;
  submit: ReturnType<typeof useSavedForm<Values>>['submit'];
  isBusy: boolean;
  notice: ReactNode;
  /** The saving state, shown beside the button. */
  state: ReactNode;
}

export function SavedSettings<Values extends Record<string, unknown>>(
  props: SavedSettingsProps<Values>,
) {
  const { value, generation, error, reload } = props.saving;
  if (value === undefined) {
    return error ? <FailedState error={error} retry={reload} /> : <LoadingState rows={6} />;
  }
  // Values from another tab or from the browser's storage replace the fields of the form.
  return <SavedForm key={generation} {...props} initialValues={value} />;
}

function SavedForm<Values extends Record<string, unknown>>({
  isWhole,
  staleText,
  children,
  ...options
}: SavedSettingsProps<Values> & { initialValues: Values }) {
  const { saving } = options;
  const { form, submit } = useSavedForm(options);
  const isHeld = !isWhole(form.getValues());
  const text = staleText === undefined ? {} : { text: staleText };
  return children({
    form,
    submit,
    isBusy: false,
    notice: saving.isStale && (
      <Suspense>
        <LateStaleNotice {...text} resolveConflict={saving.resolveConflict} />
      </Suspense>
    ),
    state: (
      <Group me="auto">
        <SaveState state={isHeld ? 'unsaved' : saving.saving} at={saving.savedAt} />
      </Group>
    ),
  });
}
