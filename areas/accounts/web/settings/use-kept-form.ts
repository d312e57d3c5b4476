// A form of the settings whose edits survive a reload or an ended session, and which asks before it is
// left unsaved.
import { type ServerForm, type ServerFormOptions, useServerForm } from '#platform/web/forms.ts';
import { useUnsaved } from '#platform/web/use-unsaved.ts';

export function useKeptForm<Values extends Record<string, unknown>>(
  name: string,
  options: ServerFormOptions<Values>,
): ServerForm<Values> {
  const kept = useServerForm<Values>({
    ...options,
    send: async (values) => {
      await options.send(values);
      kept.form.resetDirty(values);
    },
  });
  const { form } = kept;
  useUnsaved<Values>({
    name: `settings:${name}`,
    unsaved: form.isDirty() ? form.getValues() : undefined,
    restore: (edit) => form.setValues(edit),
    guard: true,
  });
  return kept;
}
